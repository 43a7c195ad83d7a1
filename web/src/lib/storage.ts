// Small things kept on this device. A full or forbidden storage loses them quietly.

export function load<T>(key: string, otherwise: T): T {
  try {
    const raw = localStorage.getItem(`vyre.${key}`);
    return raw === null ? otherwise : (JSON.parse(raw) as T);
  } catch {
    return otherwise;
  }
}

export function save(key: string, value: unknown) {
  try {
    if (value === null || value === "" || (Array.isArray(value) && !value.length)) localStorage.removeItem(`vyre.${key}`);
    else localStorage.setItem(`vyre.${key}`, JSON.stringify(value));
  } catch {
    // nothing that matters is kept only here
  }
}
