/** Colours there are, --v-1 to --v-12 of tokens.css: told apart under each kind of colour vision. */
export const COLORS = 12;

/** The number of each service's colour, in the order in which the services were first seen. */
export type Slots = ReadonlyMap<string, number>;

/** FNV-1a, its low bits mixed (finaliser of MurmurHash3): names that are alike would share a remainder else. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

// Each shares no factor with the number of colours: every colour is reached.
const STEPS = [1, 5, 7, 11] as const;

/** All colours in the order in which a name would have them, so that most readers see the same one without agreeing on it. */
function preferenceOf(name: string): number[] {
  const hash = hashOf(name);
  const step = STEPS[(hash >>> 16) % STEPS.length] ?? 1;
  return Array.from({ length: COLORS }, (_, i) => (hash + i * step) % COLORS);
}

const SLOTS_KEPT = 200;

/** Gives names that are new the colour they prefer of those that fewest have; what a known name has stays. The oldest are forgotten. */
export function assignSlots(known: Slots, names: Iterable<string>): Slots {
  const shown = new Set(names);
  const next = new Map(known);
  const uses = Array.from({ length: COLORS }, () => 0);
  for (const slot of known.values()) uses[slot] = (uses[slot] ?? 0) + 1;
  for (const name of [...shown].sort()) {
    if (next.has(name)) continue;
    const least = Math.min(...uses);
    const slot = preferenceOf(name).find((each) => uses[each] === least) ?? 0;
    next.set(name, slot);
    uses[slot] = least + 1;
  }
  for (const name of next.keys()) {
    if (next.size <= SLOTS_KEPT) break;
    if (!shown.has(name)) next.delete(name);
  }
  return next;
}

/** Names that are shown together and have one colour: the one seen first keeps it, others take a free one, while there is one. */
export function tellApart(slots: Slots, names: Iterable<string>): Slots {
  const shown = new Set(names);
  const apart = new Map<string, number>();
  const taken = new Set<number>();
  const late: [name: string, slot: number][] = [];
  for (const [name, slot] of slots) {
    if (!shown.has(name)) continue;
    if (taken.has(slot)) late.push([name, slot]);
    else apart.set(name, slot);
    taken.add(slot);
  }
  for (const [name, slot] of late) {
    const free = preferenceOf(name).find((each) => !taken.has(each)) ?? slot;
    apart.set(name, free);
    taken.add(free);
  }
  return apart;
}

/** The colour of a name; without a number, the one that it prefers. */
export const colorOf = (name: string, slot = preferenceOf(name)[0] ?? 0): string => `var(--v-${slot + 1})`;
