import { expect, it } from 'vitest';
import { assignRunners, hash32, isAssigned } from './assign.ts';
import type { RunnerFacts } from './runner.ts';

const runner = (id: string, more: Partial<RunnerFacts> = {}): RunnerFacts => ({
  id,
  name: id,
  labels: {},
  connected: true,
  lacks: {},
  ...more,
});
const ids = Array.from({ length: 1000 }, (_, i) => `01990000-0000-7000-8000-${String(i).padStart(12, '0')}`);
const anyTest = (id: string) => ({ id, type: 'https' as const, runners: { mode: 'any' as const } });

it('spreads tests for any runner, and moves only those of a runner that goes', () => {
  const runners = ['a', 'b', 'c', 'd'].map((id) => runner(id));
  const before = ids.map((id) => assignRunners(anyTest(id), runners)[0]?.id);
  for (const { id } of runners) expect(before.filter((chosen) => chosen === id).length).toBeGreaterThan(180);
  const after = ids.map((id) => assignRunners(anyTest(id), runners.slice(1))[0]?.id);
  expect(after.filter((chosen, i) => chosen !== before[i] && before[i] !== 'a')).toEqual([]);
  expect(assignRunners(anyTest(ids[0] as string), runners.toReversed())[0]?.id).toBe(before[0]);
});

it('chooses among those that can, and says why where none can', () => {
  const away = runner('away', { connected: false });
  const lame = runner('lame', { lacks: { https: 'switched_off' } });
  for (const id of ids.slice(0, 50)) expect(assignRunners(anyTest(id), [away, lame, runner('able')])).toEqual([{ id: 'able' }]);
  expect(assignRunners(anyTest('x'), [away, lame])).toEqual([{ id: 'away', idle: 'no_runner_connected' }]);
  expect(assignRunners(anyTest('x'), [lame])).toEqual([{ id: 'lame', idle: 'runner_not_capable' }]);
  expect(assignRunners(anyTest('x'), [])).toEqual([]);
});

it('takes all, those with the labels, or those that are named', () => {
  const runners = [runner('a', { labels: { site: 'lisbon', os: 'linux' } }), runner('b', { labels: { site: 'porto' } })];
  const of = (choice: Parameters<typeof assignRunners>[0]['runners']) =>
    assignRunners({ id: 'x', type: 'dns', runners: choice }, runners);
  expect(of({ mode: 'all' })).toEqual([{ id: 'a' }, { id: 'b' }]);
  expect(of({ mode: 'labels', labels: { site: 'lisbon' } })).toEqual([{ id: 'a' }]);
  expect(of({ mode: 'labels', labels: { site: 'lisbon', os: 'windows' } })).toEqual([]);
  expect(of({ mode: 'named', runners: ['b', 'gone', 'b'] })).toEqual([{ id: 'b' }, { id: 'gone', idle: 'no_runner_chosen' }]);
  expect(isAssigned({ id: 'x', type: 'dns', runners: { mode: 'named', runners: ['b'] } }, runners, 'b')).toBe(true);
});

it('spreads what differs in one character', () => {
  const slots = new Set(ids.map((id) => hash32(id) % 1000));
  expect(slots.size).toBeGreaterThan(600);
});
