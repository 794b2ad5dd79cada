import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openUsualStore } from './usual-store.ts';
import { createUsualValues } from './usual-values.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 21, 8);

function learn(hours: number, value: number, network = 'home') {
  const clock = { at: START };
  const usual = createUsualValues(() => clock.at);
  usual.enter(network);
  for (let hour = 0; hour < hours; hour += 1) {
    clock.at = START + hour * HOUR;
    for (const offset of [0, 0, 90]) usual.note('gateway', value + offset);
  }
  clock.at = START + hours * HOUR;
  usual.note('gateway', value);
  return { clock, usual };
}

describe('what is usual', () => {
  it('is the median of hours, known from five of them on, and a spike does not move it', () => {
    expect(learn(4, 600).usual.usual('gateway')).toBeUndefined();
    expect(learn(5, 600).usual.usual('gateway')).toBe(600);
    expect(learn(5, 600).usual.usual('isp')).toBeUndefined();
  });

  it('belongs to one network', () => {
    const { usual } = learn(6, 600);
    usual.enter('office');
    expect(usual.usual('gateway')).toBeUndefined();
    usual.enter(undefined);
    usual.note('gateway', 1);
    expect(usual.usual('gateway')).toBeUndefined();
    usual.enter('home');
    expect(usual.usual('gateway')).toBe(600);
  });

  it('is forgotten after a week, and hours of a clock that ran ahead are too', () => {
    const { usual, clock } = learn(6, 600);
    clock.at = START + 8 * 24 * HOUR;
    expect(usual.usual('gateway')).toBeUndefined();
    const ahead = learn(6, 600);
    ahead.clock.at = START - 24 * HOUR;
    expect(ahead.usual.usual('gateway')).toBeUndefined();
  });

  it('keeps twenty networks at most, those seen last', () => {
    const clock = { at: START };
    const usual = createUsualValues(() => clock.at);
    for (let network = 0; network < 30; network += 1) {
      clock.at += HOUR;
      usual.enter(`n${network}`);
    }
    const ids = usual.keep().networks.map(({ id }) => id);
    expect(ids).toHaveLength(20);
    expect(ids).toContain('n29');
    expect(ids).not.toContain('n0');
  });
});

describe('the file of it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'usual-'));
  afterEach(() => rmSync(join(directory, 'usual.json'), { force: true }));

  it('outlives the process, and is written once an hour', async () => {
    const clock = { at: START };
    const first = await openUsualStore(directory, () => clock.at);
    first.values.enter('home');
    for (let hour = 0; hour < 7; hour += 1) {
      clock.at = START + hour * HOUR;
      first.values.note('gateway', 12);
      await first.keep();
    }
    const second = await openUsualStore(directory, () => clock.at);
    second.values.enter('home');
    expect(second.values.usual('gateway')).toBe(12);
  });

  it('is as none where it is damaged', async () => {
    for (const text of [
      '',
      '{',
      '[]',
      '{"version":1,"networks":[{"id":1},null,{"id":"a","seenHour":1,"values":{"k":[["x",2],[1,2]]}}]}',
    ]) {
      writeFileSync(join(directory, 'usual.json'), text);
      const store = await openUsualStore(directory, () => START);
      store.values.enter('a');
      expect(store.values.usual('k')).toBeUndefined();
    }
    rmSync(directory, { recursive: true });
  });
});
