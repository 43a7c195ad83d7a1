import { readdirSync, rmSync } from "node:fs";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";
import solid from "vite-plugin-solid";

const out = "static";

/** Empties the output folder but for the README that keeps it in the repository. */
function clean(): Plugin {
  return {
    name: "clean-static",
    apply: "build",
    buildStart() {
      for (const name of readdirSync(out)) {
        if (name !== "README") rmSync(`${out}/${name}`, { recursive: true });
      }
    },
  };
}

/** Asks for the reading font together with the page, so that words don't move when it comes. */
function preloadInter(): Plugin {
  return {
    name: "preload-inter",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, ctx) {
        const font = Object.keys(ctx.bundle ?? {}).find((f) => /inter-latin.*\.woff2$/.test(f));
        if (!font) throw new Error("the build holds no Inter font");
        return [
          {
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${font}` },
            injectTo: "head",
          },
        ];
      },
    },
  };
}

export default defineConfig({
  plugins: [solid({ ssr: false }), clean(), preloadInter()],
  build: { outDir: out, emptyOutDir: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { "/v1": "http://localhost:7797" } },
  test: { environment: "node", include: ["test/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 30_000, fileParallelism: false },
});
