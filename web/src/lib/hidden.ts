// Finds what a person would not see in a command: control, bidi and zero-width
// characters, look-alike spaces, letters of another script within a word, and
// what a terminal would conceal.

export type Piece =
  | { kind: "text"; text: string; concealed: boolean }
  | { kind: "mark"; text: string; name: string };

const controls = [
  "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI",
  "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
];

// Zero-width, bidi, fillers and unusual spaces: each of them prints nothing or
// looks like a plain space. Tag characters and variation selectors can carry text.
const unseen = /[\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{1bca0}-\u{1bca3}]|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/u;

function nameOf(ch: string): string | undefined {
  const code = ch.codePointAt(0)!;
  if (code === 9 || code === 10) return undefined; // a tab and a new line are what they look like
  if (code < 32) return controls[code];
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  if (code === 127) return "DEL";
  if (code >= 0x80 && code < 0xa0) return hex;
  if (code >= 0xd800 && code < 0xe000) return hex; // half of a pair
  return unseen.test(ch) ? hex : undefined;
}

const latin = /\p{Script=Latin}/u;
const lookalike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}]/u;
const word = /[\p{L}\p{M}\p{N}_]+/gu;

/** Places of letters that pose as Latin ones inside a Latin word. */
function foreign(text: string): Set<number> {
  const found = new Set<number>();
  for (const m of text.matchAll(word)) {
    if (!latin.test(m[0]) || !lookalike.test(m[0])) continue;
    let i = m.index;
    for (const ch of m[0]) {
      if (lookalike.test(ch)) found.add(i);
      i += ch.length;
    }
  }
  return found;
}

const conceal = /^\[[\d;]*\b8m/;
const reveal = /^\[(?:[\d;]*\b(?:0|28))?m/;

export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  const posing = foreign(text);
  let plain = "";
  let concealed = false;
  const flush = () => {
    if (plain) out.push({ kind: "text", text: plain, concealed });
    plain = "";
  };
  for (let i = 0; i < text.length; ) {
    const ch = String.fromCodePoint(text.codePointAt(i)!);
    const name = nameOf(ch) ?? (posing.has(i) ? `${ch} U+${ch.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}` : undefined);
    i += ch.length;
    if (name === undefined) {
      plain += ch;
      continue;
    }
    flush();
    out.push({ kind: "mark", text: ch, name });
    if (name !== "ESC") continue;
    const rest = text.slice(i, i + 32);
    const hides = conceal.exec(rest);
    const code = hides ?? reveal.exec(rest);
    if (!code) continue;
    concealed = false;
    plain = code[0];
    i += code[0].length;
    flush();
    concealed = hides !== null;
  }
  flush();
  return out;
}

export const marks = (ps: Piece[]) => ps.filter((p) => p.kind === "mark").length;
