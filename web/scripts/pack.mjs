// Packs the built files (the door serves name.gz to whoever takes it), prints what
// the first load costs and fails the build over its budget.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const budget = { first: 160_000, lazy: 120_000 };
const dir = new URL("../static/", import.meta.url);
const html = readFileSync(new URL("index.html", dir), "utf8");

// Fonts are compressed already; they count as they are.
function size(name, bytes) {
  if (name.endsWith(".woff2")) return bytes.length;
  const packed = gzipSync(bytes, { level: 9 });
  writeFileSync(new URL(`${name}.gz`, dir), packed);
  return packed.length;
}

const rows = [["index.html", size("index.html", Buffer.from(html)), true]];
for (const name of readdirSync(new URL("assets/", dir)).sort()) {
  if (name.endsWith(".gz")) continue;
  const bytes = readFileSync(new URL(`assets/${name}`, dir));
  rows.push([name, size(`assets/${name}`, bytes), html.includes(`/assets/${name}`)]);
}

const kb = (n) => (n / 1000).toFixed(1).padStart(7) + " kB";
for (const [name, n, first] of rows) console.log(`${kb(n)}  ${first ? "first" : "lazy "}  ${name}`);
const first = rows.filter((r) => r[2]).reduce((sum, r) => sum + r[1], 0);
console.log(`${kb(first)}  first load of ${kb(budget.first).trim()}`);

const fat = rows.filter((r) => !r[2] && r[1] > budget.lazy).map((r) => r[0]);
if (first > budget.first || fat.length) {
  console.error(`over budget: first load ${first}, lazy pieces ${fat.join(", ") || "fine"}`);
  process.exit(1);
}
