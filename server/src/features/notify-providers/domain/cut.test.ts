import { describe, expect, it } from 'vitest';
import { cut, cutBefore } from './cut.ts';

const FAMILY = '👩‍👩‍👧‍👦';

describe('a text that is too long', () => {
  it('ends between characters, whatever is counted', () => {
    const text = `${'ä'.repeat(5)}${FAMILY.repeat(5)}`;
    expect(cut(text, 1000)).toBe(text);
    // The family is seven code points, eleven units and 25 bytes.
    expect(cut(text, 13)).toBe(`äääää${FAMILY}…`);
    expect(cut(text, 12)).toBe('äääää…');
    expect(cut(text, 17, 'units')).toBe(`äääää${FAMILY}…`);
    expect(cut(text, 16, 'units')).toBe('äääää…');
    expect(cut(text, 38, 'bytes')).toBe(`äääää${FAMILY}…`);
    expect(cut(text, 37, 'bytes')).toBe('äääää…');
    expect(cut('e\u0301'.repeat(9), 6)).toBe('e\u0301e\u0301…');
  });

  it.each(['points', 'units', 'bytes'] as const)('is never longer than it may be, counted in %s', (unit) => {
    const size = {
      points: (t: string) => [...t].length,
      units: (t: string) => t.length,
      bytes: (t: string) => Buffer.byteLength(t),
    }[unit];
    const text = `a${FAMILY}é Zürich 日本 `.repeat(20);
    for (let most = 0; most < 200; most += 1) {
      const made = cut(text, most, unit);
      expect(size(made)).toBeLessThanOrEqual(most);
      expect(made.isWellFormed()).toBe(true);
    }
  });

  it('keeps its end whole', () => {
    const link = '\nhttps://observe.example/incidents/94';
    expect(cutBefore('x'.repeat(500), link, { most: 60 })).toBe(`${'x'.repeat(60 - link.length - 1)}…${link}`);
    expect(cutBefore('x', link, { most: 60 })).toBe(`x${link}`);
    expect(cutBefore('x'.repeat(500), link, { most: 10 })).toBe(link);
  });
});
