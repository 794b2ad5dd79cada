import type { FastifyBaseLogger } from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { createStormLog } from './log-storm.ts';

afterEach(() => void vi.useRealTimers());

it('writes the first error of a kind at once and further ones once a second with their count', () => {
  vi.useFakeTimers();
  const error = vi.fn();
  const log = { error, warn: error } as unknown as FastifyBaseLogger;
  const write = createStormLog();
  const full = Object.assign(new Error('EMFILE: too many open files, a'), { code: 'EMFILE' });
  for (let i = 0; i < 5000; i += 1) write(log, 'error', { err: full, text: 'request failed' });
  write(log, 'error', { err: new Error('another'), text: 'request failed' });
  expect(error.mock.calls.map(([{ repeated }]) => repeated)).toEqual([undefined, undefined]);
  vi.advanceTimersByTime(1000);
  expect(error.mock.calls.slice(2).map(([{ repeated }]) => repeated)).toEqual([4999]);
  vi.advanceTimersByTime(1000);
  write(log, 'error', { err: full, text: 'request failed' });
  expect(error.mock.calls.slice(3).map(([{ repeated }]) => repeated)).toEqual([undefined]);
});
