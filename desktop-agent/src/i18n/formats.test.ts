import { describe, expect, it } from 'vitest';
import { createFormats } from './formats.ts';
import { chooseLanguage } from './languages.ts';
import { fillTemplate } from './message.ts';

const THIN = '\u202f';

describe('formats', () => {
  const en = createFormats('en');
  const de = createFormats('de');
  const fr = createFormats('fr');

  it('puts a thin space before a unit and writes a true minus', () => {
    expect(en.withUnit(-79, 'dBm')).toBe(`\u221279${THIN}dBm`);
    expect(en.number(-0.2)).toBe('0');
  });

  it('writes milliseconds as a person reads them', () => {
    expect(en.ms(4.21)).toBe(`4.2${THIN}ms`);
    expect(en.ms(38.4)).toBe(`38${THIN}ms`);
    expect(en.ms(999.6)).toBe(`1${THIN}s`);
    expect(en.ms(4812)).toBe(`4.8${THIN}s`);
    expect(fr.ms(75_300)).toBe(`75${THIN}s`);
  });

  it('writes bytes in the units of the language', () => {
    expect(en.bytes(411)).toBe(`411${THIN}B`);
    expect(en.bytes(3100)).toBe(`3.1${THIN}kB`);
    expect(fr.bytes(700_000)).toBe(`700${THIN}ko`);
    expect(en.bytes(999_600)).toBe(`1${THIN}MB`);
  });

  it('rounds what is left up, so that nothing reads as zero before it is', () => {
    expect(en.duration(11_001)).toBe(`12${THIN}s`);
    expect(en.duration(-5)).toBe(`0${THIN}s`);
    expect(en.duration(100_000)).toBe(`2${THIN}min`);
    expect(en.duration(85 * 60_000)).toBe(`1${THIN}h 25${THIN}min`);
    expect(en.duration(3_600_000)).toBe(`1${THIN}h`);
  });

  it('names the year only where it is another one', () => {
    const now = new Date(2026, 10, 21, 14).getTime();
    expect(en.date(new Date(2026, 10, 3).getTime(), now)).toBe('3 Nov');
    expect(de.date(new Date(2025, 10, 3).getTime(), now)).toContain('2025');
    expect(en.clock(new Date(2026, 0, 1, 0, 5).getTime())).toBe('00:05');
  });

  it('lists as the language does', () => {
    expect(en.list(['a', 'b', 'c'])).toBe('a, b and c');
    expect(de.list(['a', 'b'])).toBe('a und b');
  });
});

describe.each([
  ['en', { percent: '2.1%', whole: '24%', minus: '\u22125%', bytes: `3.1${THIN}kB`, number: '12,345', clock: '15:05' }],
  [
    'de',
    {
      percent: '2,1\u00a0%',
      whole: '24\u00a0%',
      minus: '\u22125\u00a0%',
      bytes: `3,1${THIN}kB`,
      number: '12.345',
      clock: '15:05',
    },
  ],
  [
    'fr',
    {
      percent: `2,1${THIN}%`,
      whole: `24${THIN}%`,
      minus: `\u22125${THIN}%`,
      bytes: `3,1${THIN}ko`,
      number: `12${THIN}345`,
      clock: '15:05',
    },
  ],
  [
    'es',
    {
      percent: '2,1\u00a0%',
      whole: '24\u00a0%',
      minus: '\u22125\u00a0%',
      bytes: `3,1${THIN}kB`,
      number: '12.345',
      clock: '15:05',
    },
  ],
] as const)('figures in %s', (language, expected) => {
  const formats = createFormats(language);

  it('stand as the language sets them', () => {
    expect({
      percent: formats.percent(0.021),
      whole: formats.withUnit(24, '%'),
      minus: formats.withUnit(-5, '%'),
      bytes: formats.bytes(3100),
      number: formats.number(12_345),
      clock: formats.clock(new Date(2026, 0, 1, 15, 5).getTime()),
    }).toEqual(expected);
  });
});

describe('the system’s own settings', () => {
  const at = new Date(2026, 10, 3, 15, 5).getTime();
  const plain = (text: string): string => text.replaceAll(/\s/g, ' ');

  it('give the region of the language, its date and its clock', () => {
    const us = createFormats('en', ['en-US', 'de-DE']);
    expect([us.clock(at), us.clockSeconds(at), us.date(at, at)].map(plain)).toEqual(['3:05 PM', '3:05:00 PM', 'Nov 3']);
    expect(createFormats('de', ['de-CH']).number(12_345)).toMatch(/^12['’]345$/);
  });

  it('give the clock alone where another language was chosen', () => {
    expect(plain(createFormats('de', ['en-US']).clock(at))).toBe('3:05 PM');
    expect(createFormats('en', ['de-DE']).clock(at)).toBe('15:05');
    expect(createFormats('fr', ['fr_CA']).clock(at)).toMatch(/^15/);
  });

  it('change nothing where they name no locale', () => {
    expect(createFormats('en', ['nonsense-tag-that-is-none', '', 'en']).clock(at)).toBe('15:05');
  });
});

describe('languages and templates', () => {
  it('takes the first wanted language that it has', () => {
    expect(chooseLanguage(['pt-BR', 'fr-CA', 'de'])).toBe('fr');
    expect(chooseLanguage(['es_419'])).toBe('es');
    expect(chooseLanguage(['zh'])).toBe('en');
    expect(chooseLanguage([])).toBe('en');
  });

  it('refuses a template whose value is missing', () => {
    expect(() => fillTemplate('{a} and {b}', { a: '1' })).toThrow('{b}');
  });

  it('ends a sentence with one full stop', () => {
    expect(fillTemplate('vom {date}. Und {date}, {x}.', { date: '3. Nov.', x: 'y' })).toBe('vom 3. Nov. Und 3. Nov., y.');
  });

  it('does not read a value as a template', () => {
    expect(fillTemplate('{a}', { a: '{b} $& $1' })).toBe('{b} $& $1');
  });
});
