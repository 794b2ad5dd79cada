import { describe, expect, it } from 'vitest';
import { otherOf, phasesOf, SESSION_PHASES, type SessionTimes } from './session-phases.ts';

const times = (part: Partial<SessionTimes>): SessionTimes => ({
  dns_ms: null,
  connect_ms: null,
  tls_ms: null,
  ttfb_ms: null,
  total_ms: null,
  ...part,
});

/** The same numbers at every run: 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A session of any kind: phases missing, zero or longer than the total, with or without one. */
function anySession(random: () => number): SessionTimes {
  const one = (): number | null => {
    const kind = random();
    if (kind < 0.2) return null;
    return kind < 0.3 ? 0 : random() * 10 ** (random() * 5);
  };
  return times({ dns_ms: one(), connect_ms: one(), tls_ms: one(), ttfb_ms: one(), total_ms: one() });
}

describe('the phases of a session', () => {
  it('name the second that no measured phase accounts for', () => {
    const session = times({ dns_ms: 200, connect_ms: 1000, tls_ms: 1000, ttfb_ms: 2000, total_ms: 5200 });
    expect(phasesOf(session)).toEqual([
      { phase: 'dns', ms: 200 },
      { phase: 'connect', ms: 1000 },
      { phase: 'tls', ms: 1000 },
      { phase: 'ttfb', ms: 2000 },
      { phase: 'other', ms: 1000 },
    ]);
    expect(otherOf(session)).toBe(1000);
  });

  it('hold the phase in which a session failed as other', () => {
    expect(phasesOf(times({ dns_ms: 4, connect_ms: 10, total_ms: 34 })).at(-1)).toEqual({ phase: 'other', ms: 20 });
  });

  it('have no other where there is no total', () => {
    expect(phasesOf(times({ dns_ms: 4 }))).toEqual([{ phase: 'dns', ms: 4 }]);
    expect(otherOf(times({ dns_ms: 4 }))).toBeNull();
    expect(otherOf(times({ dns_ms: 4, total_ms: 4 }))).toBe(0);
  });

  it('sum to the total of every session, in order, none longer than it was measured', () => {
    const random = createRandom(18);
    for (let run = 0; run < 5000; run += 1) {
      const session = anySession(random);
      const phases = phasesOf(session);
      const said = JSON.stringify(session);
      const sum = phases.reduce((all, { ms }) => all + ms, 0);
      if (session.total_ms !== null) expect(Math.abs(sum - session.total_ms), said).toBeLessThanOrEqual(1e-9 * (1 + sum));
      const order = phases.map(({ phase }) => SESSION_PHASES.indexOf(phase));
      expect(order, said).toEqual([...new Set(order)].sort((a, b) => a - b));
      for (const { phase, ms } of phases) {
        expect(ms, said).toBeGreaterThan(0);
        if (phase !== 'other') expect(ms, said).toBeLessThanOrEqual(session[`${phase}_ms`] ?? 0);
      }
    }
  });
});
