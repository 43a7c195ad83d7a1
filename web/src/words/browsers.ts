// What browsers call themselves, in words.

const systems: [RegExp, string][] = [
  [/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/CrOS/, "ChromeOS"],
  [/Mac OS X|Macintosh/, "macOS"], [/Windows/, "Windows"], [/Linux|X11/, "Linux"],
];
const browsers: [RegExp, string][] = [
  [/EdgA?\/|EdgiOS/, "Edge"], [/OPR\//, "Opera"], [/FxiOS|Firefox\//, "Firefox"], [/SamsungBrowser/, "Samsung Internet"],
  [/CriOS|Chrom(e|ium)\//, "Chrome"], [/Safari\//, "Safari"],
];

/** Chrome on Linux; what isn't known is shown as it came. */
export function browserName(agent: string): string {
  const system = systems.find(([re]) => re.test(agent))?.[1];
  const browser = browsers.find(([re]) => re.test(agent))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (agent.slice(0, 60) || "A browser");
}

export const isPhoneAgent = (agent: string) => /iPhone|Android.*Mobile/.test(agent);

/** What to call a new passkey of this browser. */
export function deviceName(agent: string): string {
  return systems.find(([re]) => re.test(agent))?.[1] ?? "This device";
}
