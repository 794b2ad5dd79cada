import { HTTP_METHODS } from '@svc/contracts/tests/params/http';
import { DNS_RECORDS } from '@svc/contracts/tests/params/network';
import { before, behind, type Details, some } from './details.ts';
import { has } from './item.ts';
import type { NamedItem } from './known.ts';
import type { Part } from './split-tests.ts';

/** What single words say: record types, methods, redirects, families, from where. */

const isRecord = (text: string): text is Details['records'][number] => (DNS_RECORDS as readonly string[]).includes(text);
const isMethod = (text: string): text is NonNullable<Details['method']> => (HTTP_METHODS as readonly string[]).includes(text);

/** Those whose names are words too count beside the word `record` only. */
const COMMON: ReadonlySet<string> = new Set(['A', 'NS', 'DS', 'HTTPS']);

export function readRecords(items: readonly Part[], details: Details): void {
  const isDns = some(items, 'resolve', 'record');
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'word') continue;
    const name = item.text.toUpperCase();
    if (!isRecord(name)) continue;
    const near = [...before(items, at, { most: 3 }), ...behind(items, at, { most: 3 })];
    const isNamed = some(near, 'record') && (item.text === name || name.length > 1);
    const isKnown = !COMMON.has(name) && (item.text === name || isDns);
    if ((isNamed || isKnown) && !details.records.includes(name)) details.records.push(name);
  }
}

function readWeb(items: readonly Part[], details: Details): void {
  const isLenient = some(items, 'ignore', 'selfsigned');
  for (const [at, item] of items.entries()) {
    if (item.kind === 'word' && isMethod(item.text) && !details.method) {
      const right = behind(items, at, { most: 2 });
      if (right.some(({ kind, folded }) => kind === 'target' || folded === 'request') || item.text !== 'DELETE')
        details.method = item.text;
    }
    if (item.role === 'redirect') {
      details.redirectTo = item.target?.url ?? item.text;
      details.keepsRedirect = true;
    }
    if (has(item, 'redirect') && !has(item, 'to')) details.keepsRedirect = true;
    if (has(item, 'selfsigned') || (has(item, 'ignore') && some(behind(items, at, { most: 3 }), 'certificate')))
      if (isLenient) details.acceptsInvalid = true;
    if (has(item, 'ipv6')) details.family = 6;
    if (has(item, 'ipv4')) details.family = 4;
  }
}

/** A place that is named behind `from` and that no runner has. */
function unknownPlace(items: readonly Part[], at: number): string | undefined {
  if (!/^(from|depuis|desde|vanuit|vanaf)$/.test(items[at]?.folded ?? '')) return undefined;
  const [next] = behind(items, at, { most: 1 });
  if (next?.kind !== 'word' || next.tags.size > 0) return undefined;
  return next.text;
}

function readNamedRunners(items: readonly NamedItem[]): Details['runners'] {
  const ids = new Set<string>();
  for (const { named } of items) if (named?.is === 'runners') for (const id of named.ids) ids.add(id);
  if (ids.size > 0) return { mode: 'named', runners: [...ids] };
  const labels: Record<string, string> = {};
  for (const [at, item] of items.entries()) {
    const near = [items[at - 1], items[at - 2], items[at - 3], items[at + 1], items[at + 2]];
    const isOfRunners = near.some((one) => has(one, 'runner'));
    if (item.kind === 'pair' && item.second !== undefined && isOfRunners) labels[item.text.toLowerCase()] = item.second;
    if (item.named?.is === 'label' && isOfRunners) Object.assign(labels, item.named.labels);
  }
  return Object.keys(labels).length > 0 ? { mode: 'labels', labels } : undefined;
}

function readRunners(items: readonly Part[], details: Details): void {
  const named = readNamedRunners(items);
  if (named) details.runners = named;
  for (const [at, item] of items.entries()) {
    const place = unknownPlace(items, at);
    if (place !== undefined && !named)
      details.faults.push(`There is no runner “${place.slice(0, 64)}”, and none with that site or label.`);
    if (named) continue;
    if (
      has(item, 'everywhere') ||
      (has(item, 'all') && has(items[at + 1], 'runner')) ||
      (has(item, 'every') && has(items[at + 1], 'runner'))
    )
      details.runners = { mode: 'all' };
    else if (has(item, 'anywhere')) details.runners = { mode: 'any' };
  }
}

function readDns(items: readonly Part[], details: Details): void {
  for (const [at, item] of items.entries()) {
    if (item.role === 'resolver' && item.target) {
      const { host, port } = item.target;
      details.resolver = port === undefined ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;
    }
    if (item.role === 'answer' && item.target) details.answers.push(item.target.host);
    if (has(item, 'nxdomain')) details.isAbsent = true;
    if (
      has(item, 'resolve') &&
      some(
        [
          ...before(items, at, { most: 5, stops: ({ kind }) => kind === 'target' }),
          ...behind(items, at, { most: 2, stops: ({ kind }) => kind === 'target' }),
        ],
        'not',
      )
    )
      details.isAbsent = true;
  }
}

export function readWords(items: readonly Part[], details: Details): void {
  readRecords(items, details);
  readWeb(items, details);
  readRunners(items, details);
  readDns(items, details);
}
