const NAMES: Readonly<Record<string, string>> = {
  linux: 'Linux',
  darwin: 'macOS',
  macos: 'macOS',
  win32: 'Windows',
  windows: 'Windows',
};

/**
 * The system as people call it: a version that names its own system stands alone ("Debian GNU/Linux 12"), and one that goes on where
 * the name ends is not said twice ("Ubuntu 24.04" and "24.04.2").
 */
export function osWords(os: string | null, version: string | null): string {
  const name = os ? (NAMES[os.toLowerCase()] ?? os) : '';
  if (!version) return name;
  if (/[A-Za-z]{3}/.test(version)) return version;
  const last = name.split(' ').at(-1) ?? '';
  const repeats = /^\d/.test(last) && (version === last || version.startsWith(`${last}.`));
  return `${repeats ? name.slice(0, -last.length).trim() : name} ${version}`.trim();
}
