interface Chosen {
  id: string;
  locked?: boolean;
  hidden?: boolean;
}

const defaults = (columns: readonly Chosen[]): string[] => columns.filter((column) => !column.hidden).map(({ id }) => id);

/** Shown columns in their order; the locked ones are always among them. `cols`: ids by commas, as the address has them. */
export function readColumns(columns: readonly Chosen[], cols: string | undefined): string[] {
  if (!cols) return defaults(columns);
  const known = new Set(columns.map(({ id }) => id));
  const wanted = [...new Set(cols.split(',').filter((id) => known.has(id)))];
  const missing = columns.filter(({ id, locked }) => locked && !wanted.includes(id)).map(({ id }) => id);
  return wanted.length === 0 ? defaults(columns) : [...missing, ...wanted];
}

/** The shown columns for the address; the default leaves no trace. */
export const writeColumns = (columns: readonly Chosen[], ids: readonly string[]): string | undefined =>
  ids.join() === defaults(columns).join() ? undefined : ids.join();
