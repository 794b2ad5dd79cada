import { Beacon } from '@svc/contracts/rum/beacon';
import { RUM_THRESHOLDS } from '@svc/contracts/rum/kinds';
import { expect, it } from 'vitest';
import { STRETCH_MINUTES, STRETCHES, stretchAt, visitBeacon } from './visits.js';

const MINUTE_MS = 60_000;

/** Numbers that spread evenly and are the same each time. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

const p75 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.75)] ?? 0;
const visits = (hurt: boolean) => {
  const random = numbers();
  return Array.from({ length: 500 }, () => Beacon.parse(visitBeacon({ key: 'app_shop', host: 'localhost', hurt }, random)));
};

it('lets users hurt and tests fail in all four ways, each longer than a verdict looks back', () => {
  const seen = STRETCHES.map((_, index) => stretchAt(index * STRETCH_MINUTES * MINUTE_MS));
  expect(new Set(seen.map((one) => `${one?.usersHurt} ${one?.testsFail}`)).size).toBe(4);
  expect(STRETCH_MINUTES).toBeGreaterThan(RUM_THRESHOLDS.windowMinutes);
});

it('sends what the schema takes: over the threshold where users hurt, far below it elsewhere', () => {
  const lcp = (hurt: boolean): number => p75(visits(hurt).map(({ vitals }) => vitals.lcp_ms ?? 0));
  expect(lcp(true)).toBeGreaterThan(RUM_THRESHOLDS.lcpMs);
  expect(lcp(false)).toBeLessThan(2500);
  const withErrors = visits(false).filter(({ errors, failed_requests }) => errors + failed_requests > 0);
  expect(withErrors.length / 500).toBeLessThan(RUM_THRESHOLDS.errorRate / 2);
});
