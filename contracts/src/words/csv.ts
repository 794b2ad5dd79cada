/** Begins a file that a spreadsheet is to read as UTF-8: without it Excel takes the system's code page, and Kraków is garbled. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** One cell: quoted where it must be, and with an apostrophe before what a spreadsheet would take for a formula. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  // Numbers are ours and may begin with a minus; a text that does was written by somebody else.
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of RFC 4180. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;
