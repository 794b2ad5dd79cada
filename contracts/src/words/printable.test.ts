import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test('what a terminal would obey is shown instead', () => {
  expect(printable('Caf\u00e9 \u001b[2J\u001b]0;title\u0007 \u009b31m\r\u0008\u007f\u202e.')).toBe(
    'Caf\u00e9 \\u001b[2J\\u001b]0;title\\u0007 \\u009b31m\\u000d\\u0008\\u007f\\u202e.',
  );
  expect(printable('one\n\ttwo \u{1f4f6} \u202f82\u00a0dBm')).toBe('one\n\ttwo \u{1f4f6} \u202f82\u00a0dBm');
});

test('JSON stays the same JSON', () => {
  const value = { ssid: 'a\u001b\u007f\u009b\u2028"\\\u202e' };
  const text = printable(JSON.stringify(value));
  expect(JSON.parse(text)).toEqual(value);
  expect(text).not.toMatch(/[\u007f-\u009f\u2028\u202e]/);
});
