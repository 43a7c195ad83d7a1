import { expect, test } from "vitest";
import { overflowing, useKit, violations } from "./kit";

const kit = useKit();

const pages: Record<string, () => string> = {
  home: () => "/",
  thread: () => `/t/${kit.all.replay!.thread}`,
  ask: () => `/ask/${first("tool")}`,
  question: () => `/ask/${first("question")}`,
  plan: () => `/ask/${first("plan")}`,
  new: () => "/new",
  "sign-in": () => "/sign-in",
};

const shows: Record<string, string> = {
  home: ".list h1", thread: ".md table", ask: ".ask .field", question: ".ask .field", plan: ".ask .field",
  new: ".page h1", "sign-in": ".signin h1",
};

function first(kind: string): string {
  return [...kit.model.asks.values()].find((a: any) => a.kind === kind)!.ask;
}

for (const size of ["desktop", "phone"] as const) {
  for (const theme of ["light", "dark"] as const) {
    // Every page in this size and theme: no accessibility violation, nothing beyond the screen's edge.
    test(`pages hold at ${size}, ${theme}`, async () => {
      const page = await kit.open({ size, theme });
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(kit.peer.url + path());
        await page.waitForSelector(shows[name]!);
        await page.waitForTimeout(520); // the answers unlock after half a second
        expect(await violations(page), name).toEqual([]);
        expect(await overflowing(page), name).toEqual([]);
      }
    });
  }
}

// Everything a thumb must hit on a phone is at least 44 high (24 for links within text).
test("touch targets on a phone", async () => {
  for (const path of ["/", pages.thread!(), pages.ask!()]) {
    const page = await kit.open({ size: "phone", path });
    await page.waitForSelector(path === "/" ? ".nq" : ".th-head");
    await page.waitForTimeout(200);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, a, summary, input")]
        .filter((el) => !el.closest(".md, .skip, .keycap") && !el.matches(".ttl, .opt2 > input, .nq a.ttl"))
        .map((el) => [el.outerHTML.slice(0, 90), el.getBoundingClientRect()] as const)
        .filter(([, r]) => r.height > 0 && r.width > 1 && r.height < 40)
        .map(([html, r]) => `${Math.round(r.height)} ${html}`),
    );
    expect(small, path).toEqual([]);
  }
});

// Without motion the ring stands still; the state is still told by its shape.
test("reduced motion", async () => {
  const page = await kit.open({ path: pages.thread!() });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.waitForSelector(".spin");
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});
