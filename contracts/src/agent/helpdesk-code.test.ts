import { uuidv7 } from 'uuidv7';
import { describe, expect, it } from 'vitest';
import { encodeHelpdeskCode, looksLikeHelpdeskCode, readHelpdeskCode } from './helpdesk-code.ts';

const NOW = Date.parse('2026-11-21T19:45:30.000Z');
const DAY = 86_400_000;
const ID = '0199c1f4-5a3b-7c2d-8e9f-0123456789ab';

describe('a helpdesk code', () => {
  it('has a fixed form, so that agents and consoles of different releases agree', () => {
    expect(encodeHelpdeskCode(ID, NOW)).toBe('NOS-ASW9NE8E2F');
    expect(readHelpdeskCode('NOS-ASW9NE8E2F', NOW)).toEqual({ idTail: '56789ab', atMs: NOW - 30_000 });
  });

  it('names the end of the id and the minute for the time that results are kept', () => {
    for (let i = 0; i < 500; i += 1) {
      const id = uuidv7();
      const atMs = NOW - Math.floor((i / 500) * 44 * DAY);
      const read = readHelpdeskCode(encodeHelpdeskCode(id, atMs), NOW);
      expect(read?.idTail).toBe(id.slice(-7));
      expect(read?.atMs).toBe(Math.floor(atMs / 60_000) * 60_000);
    }
  });

  it("takes a device's clock that is some minutes ahead", () => {
    const atMs = NOW + 20 * 60_000;
    expect(readHelpdeskCode(encodeHelpdeskCode(ID, atMs), NOW)?.atMs).toBe(Math.floor(atMs / 60_000) * 60_000);
  });

  it('is read as people type it', () => {
    const right = readHelpdeskCode('NOS-ASW9NE8E2F', NOW);
    expect(right).not.toBeNull();
    for (const typed of ['nos-asw9ne8e2f', ' NOS ASW9N E8E2F ', 'NOSASW9-NE8-E2F'])
      expect(readHelpdeskCode(typed, NOW)).toEqual(right);
    const withOnes = encodeHelpdeskCode('0199c1f4-5a3b-7c2d-8e9f-000000000021', 0);
    expect(withOnes).toContain('0');
    expect(readHelpdeskCode(withOnes.replaceAll('0', 'o').replaceAll('1', 'l'), NOW)).toEqual(readHelpdeskCode(withOnes, NOW));
  });

  it.each(Array.from({ length: 40 }, (_, i) => i))(
    'shows every wrong character and every two that changed places, code %i',
    (i) => {
      // Ids and minutes all over their range, the same at each run.
      const id = `0199c1f4-5a3b-7c2d-8e9f-01234${((i * 0x6_4b2_f1d + 7) % 2 ** 28).toString(16).padStart(7, '0')}`;
      const code = encodeHelpdeskCode(id, NOW - i * 1_237 * 60_000).slice(4);
      for (const [at, character] of [...code].entries()) {
        for (const other of '0123456789ABCDEFGHJKMNPQRSTVWXYZ') {
          const typed = `NOS-${code.slice(0, at)}${other}${code.slice(at + 1)}`;
          expect(readHelpdeskCode(typed, NOW) === null, typed).toBe(other !== character);
        }
        const next = code[at + 1];
        if (next === undefined || next === character) continue;
        const swapped = `NOS-${code.slice(0, at)}${next}${character}${code.slice(at + 2)}`;
        expect(readHelpdeskCode(swapped, NOW), swapped).toBeNull();
      }
    },
  );

  it('is told from other searches', () => {
    for (const text of ['', 'NOS-', 'laptop', 'nostalgia', 'NOS-1234567890A', ID, 'NOS-12345678!0']) {
      expect(looksLikeHelpdeskCode(text), text).toBe(false);
      expect(readHelpdeskCode(text, NOW)).toBeNull();
    }
    expect(readHelpdeskCode('NOS-UUUUUUUUUU', NOW)).toBeNull();
    expect(() => encodeHelpdeskCode('nobody', NOW)).toThrow(RangeError);
  });
});
