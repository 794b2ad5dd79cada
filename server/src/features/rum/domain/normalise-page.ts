/** Of a page as it is stored. */
export const PAGE_BOUNDS = { depth: 10, length: 200, segment: 64 } as const;
const ID = ':id';
/** Stands for what is deeper. */
const REST = '*';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
/** Numbers, also with what stands between their parts: 42, 2026-11-26, 10.5, +4930123456. */
const NUMBER = /^[+]?\d+(?:[.,_:-]\d+)*$/;
const LONG_HEX = /^[0-9a-f]{12,}$/i;
/** Letters of both cases and digits, long and without a divider: made by a machine. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_=-]{16,}$/;
/** An address of mail or a name that somebody chose: whoever it is, it is one person. */
const PERSON = /@|%40/i;

/** What names one thing or one person rather than a kind of page. */
function isVolatile(segment: string): boolean {
  if (segment.length > PAGE_BOUNDS.segment) return true;
  if (NUMBER.test(segment) || UUID.test(segment) || PERSON.test(segment)) return true;
  return (LONG_HEX.test(segment) && /\d/.test(segment)) || TOKEN.test(segment);
}

/**
 * The kind of page that a path is: without query, fragment and parameters of a segment, with `:id` in place of what is volatile, bounded in
 * depth and length. Undefined for what is no path.
 */
export function normalisePage(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const [plain = ''] = path.split(/[?#]/, 1);
  // One segment more than are kept: a path of sixteen thousand slashes costs no more than one of eleven.
  const segments = plain.split(/\/+/, PAGE_BOUNDS.depth + 2).slice(1);
  const kept: string[] = [];
  let length = 0;
  for (const raw of segments) {
    const [bare = ''] = raw.split(';', 1);
    const segment = kept.length === PAGE_BOUNDS.depth ? REST : clean(bare);
    if (segment === '') continue;
    if (length + segment.length + 1 > PAGE_BOUNDS.length) {
      kept.push(REST);
      break;
    }
    kept.push(segment);
    length += segment.length + 1;
  }
  return `/${kept.join('/')}`;
}

function clean(segment: string): string {
  if (segment === '') return '';
  if (isVolatile(segment)) return ID;
  // What no address holds unescaped, among it everything that a page, a log or a table could take for its own.
  return segment.replace(/[^\w.~!$&'()*+,=:%-]/gu, '_');
}
