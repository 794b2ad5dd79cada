import { expect, it } from 'vitest';
import { AGENT_BOUNDS, planConnections } from './bounds.ts';

it('leaves a quarter of the descriptors for stores, bus and files', () => {
  for (const limit of [1024, 4096, 20_000, 65_536]) {
    const { https, agents, otlp, descriptors } = planConnections(limit);
    expect(descriptors).toEqual({ limit, reserved: Math.min(8192, Math.floor(limit / 4)) });
    expect(https.total + agents.total + 2 * otlp.total).toBeLessThanOrEqual(limit - (descriptors?.reserved ?? 0));
    for (const one of [https, agents, otlp]) {
      expect(one.strangers).toBeLessThan(one.total / 2);
      expect(one.strangersPerNetwork).toBeLessThan(one.strangers);
      expect(one.perTenant).toBeLessThan(one.total);
    }
  }
});

it('holds ten thousand agents of one tenant where the system allows it', () => {
  expect(planConnections(65_536).agents).toEqual(AGENT_BOUNDS);
  expect(planConnections(1_048_576).agents.perTenant).toBeGreaterThan(10_000);
});

it('refuses a limit that is too small to work with', () => {
  expect(() => planConnections(256)).toThrow(/may open only 256 files; at least 1024/);
});

it('reads a limit of this process, or that it has none', () => {
  const { descriptors } = planConnections();
  expect(descriptors === undefined || descriptors.limit >= 1024).toBe(true);
});
