import { expect, test } from 'vitest';
import { describeLogs, formatLogTime, LEVEL_WORDS, levelOf } from './log-words.ts';

test('names levels as OTLP numbers them', () => {
  expect([0, 1, 4, 5, 9, 12, 13, 17, 21, 24].map((severity) => LEVEL_WORDS[levelOf(severity)])).toEqual([
    'no level',
    'trace',
    'trace',
    'debug',
    'info',
    'info',
    'warn',
    'error',
    'fatal',
    'fatal',
  ]);
});

test('says how much and how bad in a sentence', () => {
  expect(describeLogs([], 0, 'in the last hour')).toBe('No log lines in the last hour.');
  expect(describeLogs([{ counts: [0, 0, 0, 9, 0, 0, 0] }], 9, 'in the last hour')).toBe(
    '9 lines in the last hour, none of them an error.',
  );
  expect(describeLogs([{ counts: [0, 0, 0, 98, 0, 1, 1] }], 100, 'in the last hour')).toBe(
    '100 lines in the last hour, 2 of them errors (2.0%).',
  );
  expect(describeLogs([{ counts: [0, 0, 0, 0, 0, 101, 1] }], 102, 'in the last hour')).toBe(
    '102 lines in the last hour, all of them errors.',
  );
});

test('claims nothing of lines without a level', () => {
  expect(describeLogs([{ counts: [2, 0, 0, 3, 0, 0, 0] }], 5, 'in the last hour')).toBe(
    '5 lines in the last hour, none marked as an error; 2 have no level.',
  );
  expect(describeLogs([{ counts: [4, 0, 0, 0, 0, 0, 0] }], 4, 'in the last hour')).toBe(
    '4 lines in the last hour, none of them with a level.',
  );
});

test('shows milliseconds of a time to the nanosecond', () => {
  expect(formatLogTime('2026-11-21T10:00:00.123456789Z')).toMatch(/^\d\d:00:00\.123$/);
});
