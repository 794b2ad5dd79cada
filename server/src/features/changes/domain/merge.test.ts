import { expect, test } from 'vitest';
import { type KeptChange, mergeChange } from './merge.ts';

const at = (minute: number): string => `2026-06-02T12:${String(minute).padStart(2, '0')}:00.000Z`;
const deploy = (given: Partial<KeptChange>): KeptChange => ({
  ...{ id: 'a', number: 1, webhook_id: 'w', key: 'deployment:1:2', source: 'github', kind: 'deploy', title: 't', summary: '' },
  ...{
    target: null,
    anchor: null,
    address: null,
    network: null,
    target_from: null,
    actor: null,
    ref: null,
    url: null,
    attributes: {},
  },
  ...{
    repository: 'r',
    environment: 'production',
    paths: [],
    occurred_at: at(0),
    told_at: at(0),
    began_at: null,
    finished_at: null,
  },
  ...{ state: null, state_at: null, received_at: at(0), search: '' },
  ...given,
});
const MADE = deploy({});
const WAITS = deploy({ id: 'b', number: 0, state: 'waiting', state_at: at(1) });
const RUNS = deploy({ id: 'c', number: 0, state: 'running', state_at: at(5), began_at: at(5), occurred_at: at(5) });
const DONE = deploy({
  ...{ id: 'd', number: 0, state: 'succeeded', state_at: at(9), finished_at: at(9) },
  ...{ target: 'shop.example', anchor: 'shop.example', target_from: 'change' },
});
const REPLACED = deploy({
  id: 'e',
  number: 0,
  state: 'replaced',
  state_at: at(50),
  target: 'other.example',
  anchor: 'other.example',
  target_from: 'table',
});

function* orders<T>(items: readonly T[]): Generator<T[]> {
  if (items.length <= 1) yield [...items];
  else
    for (const [place, first] of items.entries())
      for (const rest of orders(items.filter((_, other) => other !== place))) yield [first, ...rest];
}

test('all deliveries of a deployment are one change, in whatever order they come', () => {
  for (const [first, ...rest] of orders([MADE, WAITS, RUNS, DONE])) {
    if (!first) continue;
    expect(rest.reduce(mergeChange, first)).toMatchObject({
      ...{ id: first.id, number: first.number, state: 'succeeded', state_at: at(9), finished_at: at(9), began_at: at(5) },
      // It began when it began, not when somebody asked for it.
      ...{ occurred_at: at(5), told_at: at(0), target: 'shop.example', target_from: 'change' },
    });
  }
});

test('one that is replaced keeps its end and its own target', () => {
  expect(mergeChange(DONE, REPLACED)).toMatchObject({ state: 'replaced', finished_at: at(9), target: 'shop.example' });
  expect(mergeChange(REPLACED, DONE)).toMatchObject({ state: 'replaced', finished_at: at(9), target: 'shop.example' });
});

test('the same delivery again changes nothing', () => {
  for (const one of [MADE, WAITS, RUNS, DONE, REPLACED]) expect(mergeChange(one, one)).toEqual(one);
});
