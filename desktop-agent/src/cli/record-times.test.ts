import type { LedgerPage } from '@svc/contracts/agent/ipc';
import { expect, it } from 'vitest';
import { iso } from '../publish/ledger-time.ts';
import { lastSentOf } from './status-report.ts';

it.each([1e300, Number.NaN, 8.64e15 + 1, -1e300])(
  'a record with %j for its time does not end the command that shows it',
  (ms) => {
    expect(iso(ms)).toBe('unknown time');
  },
);

it('writes a time as ISO 8601', () => {
  expect(iso(0)).toBe('1970-01-01T00:00:00.000Z');
});

it('the last message sent is the newest whose time is one', () => {
  const entries = [
    { atMs: 1e300, results: 0, bytes: 80 },
    { atMs: 0, results: 3, bytes: 900 },
  ];
  const last = lastSentOf({ entries } as unknown as LedgerPage);
  expect(last).toEqual({ at: '1970-01-01T00:00:00.000Z', results: 3, bytes: 900 });
});
