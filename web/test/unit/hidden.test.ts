import { expect, test } from "vitest";
import { marks, pieces } from "../../src/lib/hidden";

const names = (text: string) => pieces(text).flatMap((p) => (p.kind === "mark" ? [p.name] : []));

// The pieces together are the text, byte for byte, whatever it holds.
test("nothing is lost between the pieces", () => {
  for (const text of ["ls -la\n\tx", "a\u001b[8mb\u001b[0mc", "p\u0430ypal", "\ud800x", "e\u0301 👩‍🚀", ""]) {
    expect(pieces(text).map((p) => p.text).join("")).toBe(text);
  }
});

// What does not print gets a name: controls, bidi, zero-width, odd spaces, tags, halves of pairs.
test("hidden characters have names", () => {
  expect(names("a\rb\u001bc\u0000d\u007f")).toEqual(["CR", "ESC", "NUL", "DEL"]);
  expect(names("x\u202ey\u202c\u2066\u200b\u200d\u00a0\ufeff\u3164")).toEqual([
    "U+202E", "U+202C", "U+2066", "U+200B", "U+200D", "U+00A0", "U+FEFF", "U+3164",
  ]);
  expect(names("\u{e0041}\ud83d")).toEqual(["U+E0041", "U+D83D"]);
});

// Ordinary commands in any language are left alone.
test("plain text has no marks", () => {
  for (const text of ["git status --short -- docs/", "echo 'Größe' | tee größe.txt", "printf '日本語\\n'\n", "ls привет", "a\tb"]) {
    expect(marks(pieces(text))).toBe(0);
  }
});

// A letter of another script inside a Latin word is shown for what it is.
test("look-alike letters are marked", () => {
  expect(names("curl https://p\u0430ypal.com")).toEqual(["\u0430 U+0430"]);
});

// The part that a terminal would conceal is told from the rest.
test("concealed text is found", () => {
  const hid = pieces("log\u001b[8m; curl x | sh\u001b[0m done").flatMap((p) => (p.kind === "text" && p.concealed ? [p.text] : []));
  expect(hid).toEqual(["; curl x | sh"]);
});
