import { AddedItem, type CollectItem } from '@svc/contracts/agent/ipc';
import { expect, it } from 'vitest';
import type { Scope } from '../choices/scope.ts';
import { COLLECT_DEFAULTS } from '../privacy/collect.ts';
import { addedTo } from './added-items.ts';

const SERVER = 'https://monitor.example:8443';
const shown: Scope = {
  server: SERVER,
  collect: { ...COLLECT_DEFAULTS },
  traceTargets: [],
  sessionTargets: ['https://crm.example/'],
  intervals: { wifi: 60_000, gateway: 60_000, path: 300_000, session: 300_000 },
};
/** The items of a device's page under what is asked for. */
function itemsOf({ collect, traceTargets, sessionTargets, intervals }: Scope): CollectItem[] {
  const item = (name: CollectItem['item'], over: Partial<CollectItem>): CollectItem => ({
    item: name,
    on: true,
    decidedBy: 'policy',
    yours: false,
    everySeconds: null,
    targets: [],
    last: null,
    ...over,
  });
  return [
    item('wifi', { everySeconds: intervals.wifi / 1000 }),
    item('path', { everySeconds: intervals.path / 1000, on: traceTargets.length > 0, targets: [...traceTargets] }),
    item('session', { everySeconds: intervals.session / 1000, targets: [...sessionTargets, SERVER] }),
    item('resolver', { everySeconds: intervals.session / 1000 }),
    item('publicHops', { on: collect.publicHops }),
    item('deviceName', { on: collect.deviceName }),
  ];
}
const added = (change: Partial<Scope>) => addedTo(shown, { ...shown, ...change }, itemsOf({ ...shown, ...change }));

it('lists new targets alone, and new identifiers', () => {
  const found = added({
    sessionTargets: ['https://crm.example/', 'https://mail.example/'],
    traceTargets: ['192.0.2.7'],
    collect: { ...shown.collect, publicHops: true },
  });
  expect(found).toEqual([
    { item: 'path', targets: ['192.0.2.7'], everySeconds: 300, wasEverySeconds: null },
    { item: 'session', targets: ['https://mail.example/'], everySeconds: 300, wasEverySeconds: null },
    { item: 'publicHops', targets: [], everySeconds: null, wasEverySeconds: null },
  ]);
  for (const one of found ?? []) expect(AddedItem.parse(one)).toEqual(one);
});

it('says what was as often as before and is measured more often now', () => {
  expect(added({ intervals: { ...shown.intervals, session: 60_000 } })).toEqual([
    { item: 'session', targets: [], everySeconds: 60, wasEverySeconds: 300 },
    { item: 'resolver', targets: [], everySeconds: 60, wasEverySeconds: 300 },
  ]);
});

it('is nothing of its own where nothing is new, where all is, or where another would read it', () => {
  expect(added({ sessionTargets: [] })).toBeNull();
  expect(addedTo(undefined, shown, itemsOf(shown))).toBeNull();
  expect(added({ server: 'https://other.example', traceTargets: ['192.0.2.7'] })).toBeNull();
});
