import { expect, it } from 'vitest';
import type { Electron } from './electron.ts';
import { createOwnMemory } from './own-memory.ts';

it('counts all processes, and remembers what they hold without a window', () => {
  let sizes = [60_000, 40_000];
  const getAppMetrics = () => sizes.map((workingSetSize) => ({ memory: { workingSetSize } }));
  const memory = createOwnMemory({ app: { getAppMetrics } } as unknown as Pick<Electron, 'app'>);
  expect(memory.read()).toEqual({ bytes: 102_400_000, closedBytes: null });
  memory.note(false);
  sizes = [60_000, 40_000, 90_000];
  memory.note(true);
  expect(memory.read()).toEqual({ bytes: 194_560_000, closedBytes: 102_400_000 });
});
