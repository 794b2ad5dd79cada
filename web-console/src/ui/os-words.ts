const NAMES: Readonly<Record<string, string>> = {
  linux: 'Linux',
  darwin: 'macOS',
  macos: 'macOS',
  win32: 'Windows',
  windows: 'Windows',
};

/** The system as people call it; a version that names its own system stands alone: "Debian GNU/Linux 12". */
export function osWords(os: string | null, version: string | null): string {
  const name = os ? (NAMES[os.toLowerCase()] ?? os) : '';
  if (!version) return name;
  return /[A-Za-z]{3}/.test(version) ? version : `${name} ${version}`.trim();
}
