/** Bytes for people: 820 bytes, 64 KB, 5.2 MB. */
export function size(n: number): string {
  if (n < 1000) return `${n} bytes`;
  if (n < 1e6) return `${Math.round(n / 1e3)} KB`;
  return `${(n / 1e6).toFixed(1)} MB`;
}
