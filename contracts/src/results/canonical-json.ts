/**
 * JSON in which equal documents are equal texts: keys sorted by code unit, no white space, members that are undefined left out. What
 * "What was sent" shows of a payload and what the control plane stored of it are compared in this form.
 */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
