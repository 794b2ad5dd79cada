import { describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { createAllowance } from './allowance.ts';

const acme = 'acme' as TenantId;
const other = 'other' as TenantId;

const BOUNDS = { perHour: 2, perHourOfTenant: 100, bytesOfTenant: 1e9, openOfTenant: 2, open: 3 };

function allowance(bounds: Partial<Parameters<typeof createAllowance>[0]> = {}) {
  let now = 0;
  const made = createAllowance({ ...BOUNDS, ...bounds }, () => now);
  return {
    take: (tenant: TenantId, agentId: string, method = 'load') => made.take({ tenant, agentId, method }),
    pass: (ms: number) => {
      now += ms;
    },
  };
}
const isRefused = (allowed: object): string | undefined => ('refused' in allowed ? String(allowed.refused) : undefined);

describe('who may load the line', () => {
  it('is a device so often in an hour, of each method, and again when the first is an hour ago', () => {
    const { take, pass } = allowance({ openOfTenant: 9, open: 9 });
    expect([take(acme, 'a'), take(acme, 'a'), take(acme, 'a', 'echo')].map(isRefused)).toEqual([undefined, undefined, undefined]);
    pass(600_000);
    expect(take(acme, 'a')).toEqual({ refused: 'hour', retryAfterSeconds: 3000 });
    expect(isRefused(take(acme, 'b'))).toBeUndefined();
    pass(3_000_000);
    expect(isRefused(take(acme, 'a'))).toBeUndefined();
  });

  it('is so many devices of a tenant at once, and of all together', () => {
    const { take } = allowance();
    const first = take(acme, 'a');
    expect([take(acme, 'b'), take(acme, 'c')].map(isRefused)).toEqual([undefined, 'busy']);
    expect([take(other, 'd'), take(other, 'e')].map(isRefused)).toEqual([undefined, 'busy']);
    if ('done' in first) {
      first.done();
      first.done();
    }
    expect([take(other, 'e'), take(acme, 'c')].map(isRefused)).toEqual([undefined, 'busy']);
  });

  it('is so many devices of a tenant in an hour, of each method, and of another tenant all the same', () => {
    const { take, pass } = allowance({ perHourOfTenant: 2, openOfTenant: 9, open: 9 });
    pass(5000);
    expect([take(acme, 'a'), take(acme, 'b'), take(acme, 'c', 'echo')].map(isRefused)).toEqual([undefined, undefined, undefined]);
    pass(600_000);
    expect(take(acme, 'c')).toEqual({ refused: 'tenant', retryAfterSeconds: 3000 });
    expect(isRefused(take(other, 'd'))).toBeUndefined();
    pass(3_000_000);
    expect(isRefused(take(acme, 'c'))).toBeUndefined();
  });

  it('is a tenant until its bytes of the hour are carried, be they of a test that is over', () => {
    const { take, pass } = allowance({ bytesOfTenant: 1000 });
    const first = take(acme, 'a');
    if ('refused' in first) throw new Error(first.refused);
    first.carried(600);
    expect(isRefused(take(acme, 'b', 'echo'))).toBeUndefined();
    first.carried(400);
    first.done();
    expect(take(acme, 'b')).toEqual({ refused: 'tenant', retryAfterSeconds: 3600 });
    expect(isRefused(take(other, 'd'))).toBeUndefined();
    pass(3_600_000);
    expect(isRefused(take(acme, 'b'))).toBeUndefined();
  });

  it('does not count a device that is sent away because others are busy', () => {
    const { take } = allowance({ perHour: 1, open: 1 });
    const first = take(acme, 'a');
    expect(isRefused(take(other, 'b'))).toBe('busy');
    if ('done' in first) first.done();
    expect(isRefused(take(other, 'b'))).toBeUndefined();
  });
});
