import { expect, it } from 'vitest';
import { createPlanMemory } from './plan-memory.ts';

it('knows a week long what a runner’s plan had, and of no other’s', () => {
  let nowMs = 0;
  const memory = createPlanMemory(() => nowMs);
  memory.note('porto', ['a', 'b']);
  nowMs = 6 * 86_400_000;
  memory.note('porto', ['b']);
  expect([memory.has('porto', 'a'), memory.has('porto', 'b'), memory.has('lisbon', 'a')]).toEqual([true, true, false]);
  nowMs = 7 * 86_400_000;
  memory.forgetOld();
  expect([memory.has('porto', 'a'), memory.has('porto', 'b')]).toEqual([false, true]);
});

it('forgets the runner that was told longest ago where there are too many', () => {
  const memory = createPlanMemory();
  const many = Array.from({ length: 90_000 }, (_, i) => `test ${i}`);
  for (const runner of ['one', 'two', 'one', 'three']) memory.note(runner, many);
  expect(['one', 'two', 'three'].map((runner) => memory.has(runner, 'test 7'))).toEqual([true, false, true]);
});
