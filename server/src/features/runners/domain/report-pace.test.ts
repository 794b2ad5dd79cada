import { expect, it } from 'vitest';
import { createReportPace } from './report-pace.ts';

const MIB = 1024 * 1024;

/** MiB that get through in a minute where each of so many runners sends as soon as it may. */
function flood(runners: readonly string[], batch: { reports: number; bytes: number }): Map<string, number> {
  let nowMs = 0;
  const pace = createReportPace(() => nowMs);
  const streams = runners.map((tenant) => ({ tenant, pay: pace.openRunner(tenant), freeMs: 0 }));
  const taken = new Map<string, number>();
  for (; nowMs < 60_000; nowMs += 1)
    for (const stream of streams) {
      if (stream.freeMs > nowMs) continue;
      stream.freeMs = nowMs + stream.pay(batch);
      taken.set(stream.tenant, (taken.get(stream.tenant) ?? 0) + batch.bytes / MIB);
    }
  return taken;
}

it('bounds the bytes of a runner a second, however few reports they are', () => {
  const { acme = 0 } = Object.fromEntries(flood(['acme'], { reports: 1, bytes: MIB }));
  expect(acme / 60).toBeGreaterThan(3.8);
  expect(acme / 60).toBeLessThan(4.2);
});

it('bounds the bytes of a tenant a second, however many runners it has, and no other tenant’s', () => {
  const taken = flood([...Array.from({ length: 40 }, () => 'acme'), 'other'], { reports: 1, bytes: MIB });
  expect((taken.get('acme') ?? 0) / 60).toBeLessThan(18);
  expect((taken.get('other') ?? 0) / 60).toBeGreaterThan(3.8);
});

it('bounds the reports of a runner a second', () => {
  const taken = flood(['acme'], { reports: 500, bytes: 1 });
  expect(((taken.get('acme') ?? 0) * MIB * 500) / 60).toBeLessThan(1020);
});
