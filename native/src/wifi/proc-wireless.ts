export interface WirelessExtensionsLink {
  readonly name: string;
  readonly rssiDbm: number | undefined;
  readonly noiseDbm: number | undefined;
}

/** Parses `/proc/net/wireless`: name, status, link quality, level, noise. Levels that are no dBm (not below zero) are left out. */
export function parseProcWireless(contents: string): WirelessExtensionsLink[] {
  return contents
    .split('\n')
    .slice(2, 66)
    .flatMap((line) => {
      const found = /^\s*(\S+):\s+\S+\s+\S+\s+(-?\d+)\.?\s+(-?\d+)\.?/.exec(line);
      if (!found?.[1]) return [];
      return [{ name: found[1], rssiDbm: dbmOf(found[2]), noiseDbm: dbmOf(found[3]) }];
    });
}

/** Drivers say -256 or 0 for "unknown". */
function dbmOf(text: string | undefined): number | undefined {
  const value = Number(text);
  return value < 0 && value > -120 ? value : undefined;
}
