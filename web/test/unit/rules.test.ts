import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allowedLink } from "../../src/lib/markdown";
import { parseRoute } from "../../src/lib/route";

const src = new URL("../../src", import.meta.url).pathname;
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((f) => /\.(css|tsx?)$/.test(f));
const read = (f: string) => readFileSync(join(src, f), "utf8");

// Colours live in one file, so a theme is one file.
test("no colour outside tokens.css", () => {
  const found = files
    .filter((f) => !f.endsWith("tokens.css"))
    .filter((f) => /#[0-9a-f]{3,8}\b(?=[^"]*[;,)])|\brgba?\(|\bhsla?\(|\boklch\(/i.test(read(f)));
  expect(found).toEqual([]);
});

// The content security policy forbids inline styles and markup made from strings.
test("no inline styles, no HTML from strings", () => {
  const found = files.filter((f) => /\bstyle=|innerHTML|outerHTML|insertAdjacentHTML|document\.write/.test(read(f)));
  expect(found).toEqual([]);
});

// Files stay small: one idea each.
test("no file over 250 lines of code", () => {
  expect(files.filter((f) => /tsx?$/.test(f) && read(f).split("\n").length > 250)).toEqual([]);
});

// Only addresses that can't act on this page become links.
test("links pass an allowlist", () => {
  expect(allowedLink("https://go.dev/ref/mem")).toBe("https://go.dev/ref/mem");
  expect(allowedLink("mailto:a@example.net")).toBe("mailto:a@example.net");
  for (const bad of ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "/v1/tools/x", "#x", ""]) {
    expect(allowedLink(bad)).toBeUndefined();
  }
});

// An address that is no route of ours is the list, never an error.
test("routes", () => {
  expect(parseRoute("/t/0b5e-a_1")).toEqual({ at: "thread", thread: "0b5e-a_1" });
  expect(parseRoute("/ask/ab12")).toEqual({ at: "ask", ask: "ab12" });
  expect(parseRoute("/t/UPPER/../x")).toEqual({ at: "home" });
  expect(parseRoute("/")).toEqual({ at: "home" });
});
