import { expect, test } from 'vitest';
import { anchorsOf } from '#kernel';
import { type Arriving, type Candidate, correlate } from './correlate.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 5, 2, 12, 0);

const incident = (number: number, given: Partial<Candidate> & { target?: string; prefix?: string } = {}): Candidate => {
  const { target = 'shop.example', prefix, ...rest } = given;
  return {
    ...{ id: `i${number}`, number, status: 'open', startedMs: NOW - 10 * MINUTE, lastSeenMs: NOW - 5 * MINUTE, resolvedMs: null },
    ...{ openSignals: 1, anchors: anchorsOf({ target, prefix, attributes: {} }), ...rest },
  };
};
const signal = (given: Partial<Arriving> & { target?: string; prefix?: string } = {}): Arriving => {
  const { target = 'https://shop.example', prefix, ...rest } = given;
  const anchors = anchorsOf({ target, prefix, attributes: {} });
  return { anchors, occurredMs: NOW, formerIncident: undefined, takenOutOf: new Set(), ...rest };
};
const placeOf = (one: Arriving, candidates: Candidate[]) => correlate(one, candidates).place?.incident.number;

test('opens where nothing fits', () => {
  expect(correlate(signal(), [incident(1, { target: 'other.example' })])).toEqual({ place: undefined, alsoFits: [] });
});

test.each<[string, Partial<Candidate>, number | undefined]>([
  ['one that was seen 60 minutes ago', { openSignals: 0, lastSeenMs: NOW - 60 * MINUTE }, 1],
  ['one that was seen earlier', { openSignals: 0, lastSeenMs: NOW - 61 * MINUTE }, undefined],
  ['one of hours ago whose signals have not recovered', { openSignals: 2, lastSeenMs: NOW - 600 * MINUTE }, 1],
  ['one that begins within 60 minutes after the signal', { startedMs: NOW + 60 * MINUTE }, 1],
  ['one that begins later', { startedMs: NOW + 61 * MINUTE }, undefined],
  ['one that is acknowledged', { status: 'acknowledged' }, 1],
  ['one resolved 60 minutes ago', { status: 'resolved', openSignals: 0, resolvedMs: NOW - 60 * MINUTE }, 1],
  ['one resolved earlier', { status: 'resolved', openSignals: 0, resolvedMs: NOW - 61 * MINUTE }, undefined],
])('time is that of the signal: %s', (_words, given, expected) => {
  expect(placeOf(signal(), [incident(1, given)])).toBe(expected);
});

test('what still fails now is of an incident that began since', () => {
  const hourly = signal({ occurredMs: NOW - 150 * MINUTE, seenMs: NOW });
  expect(placeOf(hourly, [incident(1)])).toBe(1);
  expect(placeOf(signal({ occurredMs: NOW - 150 * MINUTE }), [incident(1)])).toBeUndefined();
});

test('a resolved one is opened again for the same target, not for what is only near', () => {
  const resolved = { status: 'resolved', openSignals: 0, resolvedMs: NOW - MINUTE } as const;
  expect(correlate(signal(), [incident(1, resolved)]).place).toMatchObject({ reopens: true, why: 'same target' });
  const near = incident(1, { ...resolved, target: '203.0.113.9' });
  expect(placeOf(signal({ target: '', prefix: '203.0.113.0/24' }), [near])).toBeUndefined();
});

test('the same failing goes back to its incident, also without a target; an open one comes before a resolved one', () => {
  const nameless = signal({ target: '', formerIncident: 'i7' });
  const resolved = incident(7, { target: '', status: 'resolved', openSignals: 0, resolvedMs: NOW - MINUTE });
  expect(correlate(nameless, [resolved]).place).toMatchObject({ why: 'the same failing again', reopens: true });
  expect(placeOf(signal({ formerIncident: 'i7' }), [resolved, incident(9)])).toBe(9);
});

test('of two that fit it joins the exact target, then the oldest, and names the others', () => {
  const near = incident(1, { target: '203.0.113.9' });
  const [older, newer] = [
    incident(2, { target: '', prefix: '203.0.113.0/24' }),
    incident(3, { target: '', prefix: '203.0.113.0/24' }),
  ];
  const found = correlate(signal({ target: '', prefix: '203.0.113.0/24' }), [newer, near, older]);
  expect(found.place).toMatchObject({ incident: { number: 2 }, why: 'same prefix 203.0.113.0/24' });
  expect(found.alsoFits.map(({ incident: { number }, why }) => [number, why])).toEqual([
    [3, 'same prefix 203.0.113.0/24'],
    [1, 'prefix 203.0.113.0/24 covers 203.0.113.9'],
  ]);
});

test('it does not go back to where a person took it out', () => {
  expect(placeOf(signal({ takenOutOf: new Set(['i1']), formerIncident: 'i1' }), [incident(1)])).toBeUndefined();
  expect(placeOf(signal({ takenOutOf: new Set(['i1']) }), [incident(1), incident(2)])).toBe(2);
});
