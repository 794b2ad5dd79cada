const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(Headless)?Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

const nameOf = (userAgent: string, table: readonly (readonly [RegExp, string])[]): string | undefined =>
  table.find(([pattern]) => pattern.test(userAgent))?.[1];

/** Enough of a user agent for the owner of a session to recognise it, for example "Firefox on Linux"; nothing else is kept. */
export function labelClient(userAgent: string): string {
  const browser = nameOf(userAgent, BROWSERS);
  const system = nameOf(userAgent, SYSTEMS);
  if (!browser) return system ? `A program on ${system}` : 'A program';
  return system ? `${browser} on ${system}` : browser;
}
