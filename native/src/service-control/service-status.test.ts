import { expect, it } from 'vitest';
import { readControl, serviceStatus, serviceTable } from './service-status.ts';

const words = (bytes: Buffer): number[] => [...new Uint32Array(bytes.buffer)];

it.each([
  ['a start that may be stopped', { state: 'starting', patienceMs: 20_000 }, [16, 2, 69, 0, 0, 1, 20_000]],
  ['a service that runs', { state: 'running' }, [16, 4, 69, 0, 0, 0, 0]],
  ['an end that takes no further word', { state: 'stopping', patienceMs: 20_000 }, [16, 3, 0, 0, 0, 1, 20_000]],
  ['a good end', { state: 'stopped', exitCode: 0 }, [16, 1, 0, 0, 0, 0, 0]],
  ['a failure', { state: 'stopped', exitCode: 2 }, [16, 1, 0, 1066, 2, 0, 0]],
] as const)('tells the manager of %s', (_what, state, expected) => {
  expect(words(serviceStatus(state))).toEqual(expected);
});

it("ends the dispatcher's table with an empty entry", () => {
  expect([...new BigUint64Array(serviceTable(7n, 9n).buffer)]).toEqual([7n, 9n, 0n, 0n]);
});

it.each([
  ['a stop', [1, 0], 'stop'],
  ['a shutdown', [5, 0], 'shutdown'],
  ['a question', [4, 0], 'nothing'],
  ['falling asleep', [13, 4], 'suspend'],
  ['waking by itself', [13, 18], 'resume'],
  ['waking for a person', [13, 7], 'resume'],
  ['another source of power', [13, 10], 'nothing'],
  ['a control that was never accepted', [14, 5], undefined],
] as const)('reads %s', (_what, [control, event], asked) => {
  expect(readControl(control, event)).toBe(asked);
});
