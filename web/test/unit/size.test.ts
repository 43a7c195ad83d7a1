import { expect, test } from "vitest";
import { size } from "../../src/words/size";

// Sizes are said as a person says them, never as a long number.
test("sizes for people", () => {
  expect([0, 820, 64_000, 5_242_880, 50_000_000].map(size)).toEqual(["0 bytes", "820 bytes", "64 KB", "5.2 MB", "50.0 MB"]);
});
