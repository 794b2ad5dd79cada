export interface Layout {
  readonly structs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly constants: Readonly<Record<string, number>>;
}

/** A layout table in the words that native/offsets/*.c print, sorted. */
export function layoutLines({ structs, constants }: Layout): string[] {
  const fields = Object.entries(structs).flatMap(([struct, members]) =>
    Object.entries(members).map(([name, offset]) => `${struct}.${name} ${offset}`),
  );
  return [...fields, ...Object.entries(constants).map(([name, value]) => `${name} ${value}`)].sort();
}
