import { has } from './item.ts';
import type { NamedItem } from './known.ts';

/** Which things of a request are asked, what the others are to them, and where one test ends and the next begins. */

export type Role = 'resolver' | 'answer' | 'redirect';

export interface Part extends NamedItem {
  role?: Role;
}

export interface Segment {
  /** What is tested; several where one sentence is about all of them. */
  subjects: Part[];
  items: Part[];
  /** Those that stand before the first subject of the whole request, or behind the last. */
  isFirst: boolean;
  isLast: boolean;
}

const isPoint = (item: Part | undefined): boolean => item?.kind === 'target';
const endsSentence = ({ kind, text }: Part): boolean =>
  kind === 'mark' && (text === '.' || text === ';' || text === '!' || text === '?');

function around(items: readonly Part[], at: number): { before: Part[]; behind: Part[] } {
  const before: Part[] = [];
  for (let i = at - 1; i >= 0 && before.length < 5; i -= 1) {
    const item = items[i] as Part;
    if (isPoint(item) || endsSentence(item)) break;
    before.push(item);
  }
  const behind: Part[] = [];
  for (let i = at + 1; i < items.length && behind.length < 4; i += 1) {
    const item = items[i] as Part;
    if (isPoint(item) || endsSentence(item)) break;
    behind.push(item);
  }
  return { before, behind };
}

const holds = (items: readonly Part[], ...tags: string[]): boolean => items.some((item) => has(item, ...tags));

/** `muss 192.0.2.7 liefern`, `moet ns1.example bevatten`: where the verb ends the clause, what stands before it is what it is about. */
function isObject(items: readonly Part[], at: number, left: Part | undefined): boolean {
  const [verb, end] = [items[at + 1], items[at + 2]];
  if (!has(verb, 'answers', 'contains', 'shows') || (end !== undefined && end.kind !== 'mark')) return false;
  return left?.kind === 'word' && !has(left, 'and', 'or', 'also');
}

/** `www.example points to 192.0.2.7`: a name with its own answer behind it is no answer. */
function pointsOn(items: readonly Part[], at: number): boolean {
  const verb = items.findIndex((item, index) => index > at && has(item, 'points'));
  return items[at]?.target?.kind === 'host' && items.slice(verb + 1, verb + 4).some(isPoint);
}

interface Reading {
  items: readonly Part[];
  isDns: boolean;
  count: number;
}

/** What a target is to the one before it; undefined: it is one itself. */
function roleOf({ items, isDns, count }: Reading, at: number, subject: Part | undefined): Role | undefined {
  const item = items[at] as Part;
  const { before, behind } = around(items, at);
  const isAddress = item.target?.kind === 'ipv4' || item.target?.kind === 'ipv6';
  if (isDns && count > 1 && holds(before, 'via', 'nameserver') && item.target?.kind !== 'url') return 'resolver';
  // `ask 9.9.9.9`: names are asked for, and addresses are asked.
  if (isDns && count > 1 && isAddress && holds(before, 'ask')) return 'resolver';
  if (!subject) return undefined;
  // `asked at 9.9.9.9`: a name is asked for, so the address is who is asked.
  if (isDns && isAddress && subject.target?.kind === 'host' && has(before[0], 'at') && !has(before[0], 'to')) return 'resolver';
  const near = [...before, ...behind.slice(0, 3)];
  if (item.target?.kind === 'url' && subject.target?.kind === 'url' && holds(near, 'redirect') && !holds(before, 'also'))
    return 'redirect';
  const isName = subject.target?.kind === 'host' || subject.target?.kind === 'url';
  if (!isName || item.target?.kind === 'url' || holds(before, 'ping', 'port', 'tcp', 'udp', 'also')) return undefined;
  if (
    holds(before, 'points') ||
    (holds(behind.slice(0, 3), 'points') && !pointsOn(items, at)) ||
    (isDns && holds(before, 'resolve') && holds(before, 'to'))
  )
    return 'answer';
  const isOfRecord = isAddress || holds(items, 'record') || items.some(isRecordType);
  if (isDns && holds(before, 'to', 'equal', 'answers', 'contains', 'points', 'shows') && isOfRecord) return 'answer';
  if (isDns && isOfRecord && isObject(items, at, before[0])) return 'answer';
  // One of several addresses of the same answer.
  const last = items.slice(0, at).findLast(isPoint);
  return isDns && isAddress && last?.role === 'answer' && before.every((one) => one.kind === 'mark' || has(one, 'and', 'or'))
    ? 'answer'
    : undefined;
}

/** Types of records that are no words of any language. */
const RECORDS: ReadonlySet<string> = new Set(['mx', 'txt', 'aaaa', 'cname', 'soa', 'srv', 'ptr', 'caa', 'ns']);
const isRecordType = ({ kind, folded }: Part): boolean => kind === 'word' && RECORDS.has(folded);

function assignRoles(items: readonly Part[]): void {
  const isDns = items.some(isRecordType) || holds(items, 'resolve', 'record', 'dnssec', 'nameserver', 'nxdomain', 'points');
  const count = items.filter(isPoint).length;
  let subject: Part | undefined;
  for (const [at, item] of items.entries()) {
    if (!isPoint(item)) continue;
    const role = roleOf({ items, isDns, count }, at, subject);
    if (role) item.role = role;
    else subject = item;
  }
}

/** Names count beside targets only where they look like one of a machine. */
function findSubjects(items: readonly Part[]): number[] {
  const points = [...items.keys()].filter((at) => isPoint(items[at]) && items[at]?.role === undefined);
  const places = [...items.keys()].filter((at) => items[at]?.kind === 'place');
  const alike = points.length === 0 ? places : places.filter((at) => /[\d-]/.test(items[at]?.text ?? ''));
  return [...points, ...alike].sort((a, b) => a - b);
}

const joins = (item: Part): boolean => (item.kind === 'mark' && ',;.:'.includes(item.text)) || has(item, 'and', 'also', 'but');
const isBetweenNames = (item: Part): boolean =>
  (item.kind === 'mark' && ',/&'.includes(item.text)) ||
  (item.kind === 'word' && !item.value && (item.tags.size === 0 || has(item, 'and', 'or', 'filler', 'to', 'at', 'per')));

/** Where the test of the subject at `to` begins, which comes behind the one at `from`. */
function boundaryOf(items: readonly Part[], from: number, to: number): number {
  for (let at = to - 1; at > from; at -= 1) {
    const item = items[at] as Part;
    // `a, b and c are ...`: the numbers of a list are joined too.
    if (joins(item) && items[at + 1]?.kind !== 'number' && items[at - 1] !== undefined) return at;
  }
  return to;
}

export function splitTests(items: readonly Part[]): Segment[] {
  assignRoles(items);
  const subjects = findSubjects(items);
  const groups: number[][] = [];
  for (const at of subjects) {
    const last = groups.at(-1);
    const previous = last?.at(-1);
    const isSame = last !== undefined && previous !== undefined && items.slice(previous + 1, at).every(isBetweenNames);
    if (isSame) last.push(at);
    else groups.push([at]);
  }
  const starts = groups.map(([first = 0], index) => {
    const previous = groups[index - 1]?.at(-1);
    return previous === undefined ? 0 : boundaryOf(items, previous, first);
  });
  return groups.map((group, index) => ({
    subjects: group.map((at) => items[at] as Part),
    // Each has its own: what one of them took is not taken from the others.
    items: items.slice(starts[index], starts[index + 1] ?? items.length).map((item) => ({ ...item })),
    isFirst: index === 0,
    isLast: index === groups.length - 1,
  }));
}
