import { expect, it } from 'vitest';
import { serviceStatus, serviceTable } from './service-status.ts';

const words = (bytes: Buffer): number[] => [...new Uint32Array(bytes.buffer)];

it.each([
  ['a start that may be stopped', { state: 'starting', patienceMs: 20_000 }, [16, 2, 5, 0, 0, 1, 20_000]],
  ['a service that runs', { state: 'running' }, [16, 4, 5, 0, 0, 0, 0]],
  ['an end that takes no further word', { state: 'stopping', patienceMs: 20_000 }, [16, 3, 0, 0, 0, 1, 20_000]],
  ['a good end', { state: 'stopped', exitCode: 0 }, [16, 1, 0, 0, 0, 0, 0]],
  ['a failure', { state: 'stopped', exitCode: 2 }, [16, 1, 0, 1066, 2, 0, 0]],
] as const)('tells the manager of %s', (_what, state, expected) => {
  expect(words(serviceStatus(state))).toEqual(expected);
});

it("ends the dispatcher's table with an empty entry", () => {
  expect([...new BigUint64Array(serviceTable(7n, 9n).buffer)]).toEqual([7n, 9n, 0n, 0n]);
});
