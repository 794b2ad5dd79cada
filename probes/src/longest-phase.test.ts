import { describe, expect, it } from 'vitest';
import { longestPhase } from './longest-phase.ts';

describe('the longest phase', () => {
  const times = (change: Partial<Parameters<typeof longestPhase>[0]>) =>
    longestPhase({ dnsMs: null, connectMs: null, tlsMs: null, ttfbMs: null, totalMs: 0, ...change });

  it('has at least half of the session', () => {
    expect(times({ dnsMs: 3000, connectMs: 20, tlsMs: 20, ttfbMs: 60, totalMs: 3110 })).toBe('dns');
    expect(times({ dnsMs: 5, connectMs: 20, tlsMs: 20, ttfbMs: 900, totalMs: 950 })).toBe('ttfb');
    expect(times({ dnsMs: 5, connectMs: 20, tlsMs: 20, ttfbMs: 30, totalMs: 950 })).toBe('rest');
  });

  it('is the proxy’s where opening the tunnel took it, and not counted twice', () => {
    expect(times({ connectMs: 820, proxyMs: 800, tlsMs: 20, ttfbMs: 60, totalMs: 900 })).toBe('proxy');
  });

  it('is none where a session is slow all over', () => {
    expect(times({ dnsMs: 300, connectMs: 300, tlsMs: 300, ttfbMs: 300, totalMs: 1210 })).toBeNull();
  });
});
