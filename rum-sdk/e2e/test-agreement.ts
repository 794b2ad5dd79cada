import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type BeaconBody, writeDocument } from './test-site.ts';

/** The build of web-vitals for a script element. */
export const readWebVitals = (): string =>
  readFileSync(join(dirname(createRequire(import.meta.url).resolve('web-vitals')), 'web-vitals.iife.js'), 'utf8');

/** Reports each view of web-vitals when it is hidden: by a listener at the document, behind those of web-vitals at the window. */
const REPORT = `<script src="OTHER/web-vitals.js"></script><script>
  const got = {};
  const put = ({ name, value }) => { got[name] = value; };
  for (const name of ['onLCP', 'onINP', 'onCLS', 'onFCP', 'onTTFB'])
    webVitals[name](put, { reportAllChanges: true, durationThreshold: 16 });
  addEventListener('pageshow', (event) => { if (event.persisted) for (const name in got) delete got[name]; }, true);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden')
      fetch('/web-vitals', { method: 'POST', keepalive: true, body: JSON.stringify(got) });
  });
</script>`;

/** A document with web-vitals and the SDK. */
export const writeCompared = ({ head = '', body = '', attributes = '' }): string =>
  writeDocument({ head: head + REPORT, body, attributes });

const FRAME_MS = 17;
const SHARE = 0.05;
const SMALLEST_CLS = 1e-4;

const isNear = (ours: number | undefined, theirs: number | undefined, least: number): boolean =>
  ours === undefined || theirs === undefined ? ours === theirs : Math.abs(ours - theirs) <= Math.max(least, SHARE * theirs);

/** Each within 5 % or one frame, and absent on both sides or on none. */
export function expectAgreement(beacon: BeaconBody | undefined, report: Record<string, number> | undefined): void {
  const ours = beacon?.vitals ?? {};
  const rows = [
    ['TTFB', ours.ttfb_ms, report?.TTFB, FRAME_MS],
    ['FCP', ours.fcp_ms, report?.FCP, FRAME_MS],
    ['LCP', ours.lcp_ms, report?.LCP, FRAME_MS],
    ['INP', ours.inp_ms, report?.INP, FRAME_MS],
    ['CLS', ours.cls, report?.CLS, SMALLEST_CLS],
  ] as const;
  const said = rows.map(([name, a, b]) => `${name} ${a ?? '-'} / ${b ?? '-'}`).join(', ');
  expect(
    rows.filter(([, a, b, least]) => !isNear(a, b, least)).map(([name]) => name),
    said,
  ).toEqual([]);
}
