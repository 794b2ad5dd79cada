const COLORS = 7;

/** Mixes the low bits, of which a remainder is made: names that are alike would share their colour else (finaliser of MurmurHash3). */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The colour of a service in traces and maps, the same wherever its name stands (a hash of the name, FNV-1a). */
export function serviceColor(name: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return `var(--v-${(mix(hash) % COLORS) + 1})`;
}
