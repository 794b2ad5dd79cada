import { expect, it } from 'vitest';
import { absenceWord, describeStrip, verdictWord } from './verdict-words.ts';

it('says a strip in words', () => {
  const text = describeStrip(['none', 'none', 'not_measured', 'wifi', 'wifi', 'wifi']).replace(/[\u202f\u00a0]/g, ' ');
  expect(text).toBe('2 h healthy, 1 h not measured and 3 h slow: Wi-Fi');
});

it('gives a reason for every cell without a number', () => {
  expect(absenceWord('wired', 'none')).toBe('wired');
  expect(absenceWord('withheld', 'wifi')).toBe('withheld');
  expect(absenceWord('wired', 'paused')).toBe('paused');
  expect(absenceWord(null, 'no_contact')).toBe('no contact');
  expect(absenceWord(null, 'none')).toBe('not yet');
});

it('says until when a pause lasts', () => {
  expect(verdictWord('paused', new Date(2026, 10, 21, 15, 0).toISOString())).toBe('Paused until 15:00');
  expect(verdictWord('paused')).toBe('Paused');
});
