import { expect, it } from 'vitest';
import type { KeptFile } from '../kept-file.ts';
import { openHistory } from './history.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-21T20:30:00Z');
const memory = (held?: unknown): KeptFile & { held: unknown } => ({
  held,
  async read() {
    return structuredClone(this.held);
  },
  async write(value) {
    this.held = structuredClone(value);
  },
});

it('rules each hour by its minutes, and keeps the strip over restarts', async () => {
  const file = memory();
  const history = await openHistory(file);
  const add = (hoursAgo: number, state: 'none' | 'wifi' | 'isp' | 'paused' | 'declined', minutes: number): void => {
    for (let i = 0; i < minutes; i++) history.addMinute(NOW - hoursAgo * HOUR_MS, state);
  };
  add(30, 'wifi', 60);
  add(23, 'none', 1);
  add(5, 'none', 50);
  add(5, 'wifi', 9);
  add(4, 'none', 50);
  add(4, 'wifi', 6);
  add(4, 'isp', 4);
  add(3, 'paused', 60);
  add(2, 'paused', 50);
  add(2, 'none', 2);
  add(1, 'declined', 3);
  add(0, 'wifi', 5);
  await history.save();
  const strip = (await openHistory(file)).strip(NOW);
  expect(strip).toHaveLength(24);
  expect(strip[0]).toBe('none');
  expect(strip.slice(1, 18).every((hour) => hour === 'asleep')).toBe(true);
  expect(strip.slice(18)).toEqual(['none', 'wifi', 'paused', 'none', 'declined', 'wifi']);
});

it('forgets what a set-back date left ahead, and stays bounded', async () => {
  const file = memory();
  const history = await openHistory(file);
  history.addMinute(NOW + 400 * HOUR_MS, 'isp');
  history.addMinute(NOW, 'none');
  expect(history.strip(NOW).at(-1)).toBe('none');
  for (let hour = 0; hour < 1000; hour++) history.addMinute(NOW + hour * HOUR_MS, 'none');
  for (let n = 0; n < 500; n++) for (let i = 0; i < 60; i++) history.addSession(`host-${n}.example`, i);
  await history.save();
  expect(JSON.stringify(file.held).length).toBeLessThan(20_000);
});

it('knows what is typical from three on', async () => {
  const history = await openHistory(memory());
  for (const totalMs of [100, 900]) history.addSession('crm.example', totalMs);
  expect(history.typicalMs('crm.example')).toBeNull();
  history.addSession('crm.example', 120);
  expect(history.typicalMs('crm.example')).toBe(120);
  history.addSession('crm.example', 140);
  expect(history.typicalMs('crm.example')).toBe(130);
});

it.each([
  null,
  [],
  { tallies: [{ hour: 'x' }, null, { hour: 1, minutes: { __proto__: 3, none: 'x' } }], totals: [['a'], [1, []], 5] },
])('takes damaged files %j for what is whole in them', async (held) => {
  expect((await openHistory(memory(held))).strip(NOW).every((hour) => hour === 'asleep')).toBe(true);
});
