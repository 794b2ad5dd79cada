import type { Measured } from '@svc/contracts/tests/run-report';
import type { IsolatedWorld } from './isolated-world.ts';

/**
 * What the browser kept of the page's load. CLS is the largest window of shifts, each within a second of the one before and five in all, as
 * the vital is defined (web.dev/articles/cls).
 */
const READ = `(async () => {
  const of = (type) => new Promise((resolve) => {
    const found = [];
    const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
    try { observer.observe({ type, buffered: true }); } catch { resolve(found); return; }
    setTimeout(() => { found.push(...observer.takeRecords()); observer.disconnect(); resolve(found); }, 50);
  });
  const [paints, lcps, shifts] = await Promise.all([of('paint'), of('largest-contentful-paint'), of('layout-shift')]);
  let cls = 0, sum = 0, first = 0, last = 0;
  for (const { startTime, value, hadRecentInput } of shifts) {
    if (hadRecentInput) continue;
    if (sum > 0 && startTime - last < 1000 && startTime - first < 5000) sum += value;
    else { sum = value; first = startTime; }
    last = startTime;
    cls = Math.max(cls, sum);
  }
  const [navigation] = performance.getEntriesByType('navigation');
  return {
    ttfb_ms: navigation?.responseStart,
    load_ms: navigation?.loadEventEnd,
    fcp_ms: paints.find(({ name }) => name === 'first-contentful-paint')?.startTime,
    lcp_ms: lcps.at(-1)?.startTime,
    cls,
  };
})()`;

const KEYS = ['ttfb_ms', 'load_ms', 'fcp_ms', 'lcp_ms', 'cls'] as const;

/** Those that are known; a page that paints nothing has no FCP and no LCP. */
export async function readVitals(world: IsolatedWorld): Promise<Measured['vitals']> {
  const read = await world.evaluate(READ);
  const vitals: NonNullable<Measured['vitals']> = {};
  for (const key of KEYS) {
    const value: unknown = typeof read === 'object' && read !== null ? Reflect.get(read, key) : undefined;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0 && (value > 0 || key === 'cls')) vitals[key] = value;
  }
  return vitals;
}
