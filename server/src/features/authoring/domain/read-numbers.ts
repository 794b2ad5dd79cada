import { before, behind, type Details, isFeared, some } from './details.ts';
import { has } from './item.ts';
import type { Part } from './split-tests.ts';

/** Ports, statuses, packets and how often something may fail. */

const PORTS = 65_535;

/** Numbers that stand in a row with this one: `80, 443 and 8443`. */
function listFrom(items: readonly Part[], at: number): Part[] {
  const list: Part[] = [];
  for (let i = at; i < items.length; i += 1) {
    const item = items[i] as Part;
    if (item.kind === 'number' && !item.used) list.push(item);
    else if (!((item.kind === 'mark' && ',/'.includes(item.text)) || has(item, 'and', 'or', 'port', 'tcp', 'udp'))) break;
  }
  return list;
}

function protocolAt(items: readonly Part[], at: number): 'tcp' | 'udp' | undefined {
  const near = [...before(items, at, { most: 3, stops: ({ kind }) => kind === 'number' }), ...behind(items, at, { most: 1 })];
  return some(near, 'udp') ? 'udp' : some(near, 'tcp') ? 'tcp' : undefined;
}

/** `listens on 636`, `accepts connections at 9000`: no word says that it is a port, and nothing else is listened on. */
function isListenedOn(items: readonly Part[], at: number, left: readonly Part[]): boolean {
  const near = [...left, ...behind(items, at, { most: 2 })];
  if (!/^(on|at|auf|sur|en|op)$/.test(left[0]?.folded ?? '') || some(near, 'status', 'answers', 'contains')) return false;
  return some(items, 'open', 'handshake', 'connect');
}

function readPorts(items: readonly Part[], details: Details): void {
  const isTcp = some(items, 'tcp', 'udp');
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'number' || item.used || !Number.isInteger(item.value)) continue;
    const left = before(items, at, { most: 3, stops: ({ kind }) => kind === 'number' || kind === 'target' });
    const right = behind(items, at, { most: 1 });
    const isPort =
      some(left, 'port') ||
      has(left[0], 'tcp', 'udp') ||
      has(right[0], 'tcp', 'udp') ||
      (isTcp && items[at - 1]?.kind === 'target') ||
      isListenedOn(items, at, left);
    if (!isPort || some(left, 'status', 'answers')) continue;
    const protocol = protocolAt(items, at);
    for (const one of listFrom(items, at)) {
      one.used = true;
      const port = one.value ?? 0;
      if (port < 1 || port > PORTS) details.faults.push(`${one.text} is no port: they go from 1 to ${PORTS}.`);
      else details.ports.push({ port, ...(protocol === undefined ? {} : { protocol }) });
    }
  }
}

function readCounts(items: readonly Part[], details: Details): void {
  for (const [at, item] of items.entries()) {
    const count = item.value;
    if (item.used || count === undefined || !(item.kind === 'number' || item.kind === 'word')) continue;
    const right = behind(items, at, { most: 4 });
    if (has(right[0], 'packets')) details.packets = count;
    else if (some(right.slice(0, 2), 'failing') && some(right, 'row')) details.failingAfter = count;
    else if (some(right.slice(0, 2), 'row') && some(right.slice(0, 3), 'failing')) details.failingAfter = count;
    else if (has(right[0], 'runner') && some(right, 'failing')) details.failWhen = count;
    else continue;
    item.used = true;
  }
}

const isStatus = ({ kind, value, used }: Part): boolean =>
  kind === 'status' || (kind === 'number' && !used && Number.isInteger(value) && (value ?? 0) >= 100 && (value ?? 0) < 600);

/** Answers that nobody means by any other number behind a URL. */
const USUAL_STATUSES: ReadonlySet<number> = new Set([200, 201, 202, 204, 301, 302, 304, 307, 308, 401, 403, 404, 500, 502, 503]);

const joins = (item: Part | undefined): boolean => (item?.kind === 'mark' && ',/'.includes(item.text)) || has(item, 'or', 'and');

function readStatuses(items: readonly Part[], details: Details): void {
  let last = -9;
  for (const [at, item] of items.entries()) {
    if (!isStatus(item)) continue;
    // `not 404 but 200`: what stands before the turn is not said of what stands behind it.
    const isTurned = last >= 0 && items.slice(last + 1, at).some((one) => has(one, 'but'));
    const stops = (one: Part): boolean => one.kind === 'quote' || one.kind === 'duration' || (isTurned && has(one, 'but'));
    const left = before(items, at, { most: 4, stops });
    const right = behind(items, at, { most: 2 });
    const isNext =
      last >= 0 && items.slice(last + 1, at).every((one) => joins(one) || has(one, 'filler', 'but')) && at - last <= 3;
    const isSaid =
      item.kind === 'status' ||
      some(left, 'status', 'answers', 'contains', 'web') ||
      some(right, 'status', 'answers') ||
      right[0]?.folded === 'ok';
    const isUsual = USUAL_STATUSES.has(item.value ?? 0);
    // `wait for 200`: of a number without a unit it is no time.
    const isBare = isUsual && (left[0]?.target?.kind === 'url' || some(left.slice(0, 2), 'timeout'));
    if (!isNext && !isSaid && !isBare) {
      // Better asked than left out.
      if (isUsual && items.some(({ target }) => target?.kind === 'url'))
        details.unclear.push(`Say what “${item.text}” is: a status that shall be answered, or something else.`);
      continue;
    }
    item.used = true;
    last = at;
    const isNot = some(left, 'not') !== isFeared(items, at) && !some(left, 'other');
    (isNot ? details.refusedStatuses : details.statuses).push(item.text);
  }
}

export function readNumbers(items: readonly Part[], details: Details): void {
  readCounts(items, details);
  readPorts(items, details);
  readStatuses(items, details);
}
