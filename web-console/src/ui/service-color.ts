const COLORS = 7;

/** The colour of a service in traces and maps, the same wherever its name stands (FNV-1a of the name). */
export function serviceColor(name: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return `var(--v-${((hash >>> 0) % COLORS) + 1})`;
}
