import { expect, it } from 'vitest';
import { sumSessions } from './session-totals.ts';

const succeeded = (total: number, target = 'crm') => ({
  target,
  success: true,
  present: true,
  metrics: { 'total.ms': total },
  attributes: {},
});
const failed = (total: number, phase?: string) => ({
  ...succeeded(total),
  success: false,
  attributes: phase === undefined ? {} : { 'error.phase': phase },
});

it('counts failures with their phases and keeps them out of every time', () => {
  const sessions = [succeeded(100), failed(34, 'tls'), failed(34, 'tls'), failed(20_000), succeeded(300)];
  expect(sumSessions(sessions)).toEqual([
    {
      target: 'crm',
      count: 5,
      failed: 3,
      phases: [
        { phase: 'tls', count: 2 },
        { phase: null, count: 1 },
      ],
      medianMs: 200,
      worstMs: 300,
    },
  ]);
});

it('has no time where all failed, and no target that was not measured', () => {
  const absent = { target: 'mail', present: false, metrics: {}, attributes: {} };
  expect(sumSessions([failed(5, 'dns'), absent])).toMatchObject([{ target: 'crm', medianMs: null, worstMs: null }]);
  expect(sumSessions([])).toEqual([]);
});
