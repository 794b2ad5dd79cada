import { expect, it } from 'vitest';
import { emptyForm, missingOf, toSpec } from './maintenance-form.ts';
import { scopeWords, timesWords } from './maintenance-words.ts';

const NOW = Date.parse('2026-11-24T14:31:00Z');

it('says when in words', () => {
  const weekly = { repeat: 'weekly', weekdays: [7, 6], from: '23:30', duration_minutes: 90 } as const;
  expect(timesWords({ ...weekly, weekdays: [...weekly.weekdays] }, 'Europe/Berlin', NOW)).toBe(
    'Saturdays and Sundays from 23:30 for 1\u00a0h 30\u00a0min, Europe/Berlin',
  );
  expect(timesWords({ ...weekly, weekdays: [1, 2, 3, 4, 5, 6, 7] }, 'UTC', NOW)).toMatch(/^Daily from/);
});

it('says what of', () => {
  const named = () => 'Returns';
  expect(scopeWords({ scope: { kind: 'test', test_id: 'x' } }, named)).toBe('Test Returns');
  expect(scopeWords({ scope: { kind: 'site', site: 'Berlin' } }, named)).toBe('Site Berlin');
});

it('begins with the next two hours, once', () => {
  const form = { ...emptyForm(NOW), name: 'Patches', target: 'shop.example' };
  expect(missingOf(form)).toBeUndefined();
  expect(toSpec(form).times).toEqual({ repeat: 'once', from: '2026-11-24T15:00:00.000Z', to: '2026-11-24T17:00:00.000Z' });
  expect(missingOf({ ...form, to: form.from })).toBe('The end must be after the start');
  expect(missingOf({ ...form, scope: 'test' })).toBe('Choose a test');
});
