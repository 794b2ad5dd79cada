import type { RunReport } from '@svc/contracts/tests/run-report';
import { expect, it } from 'vitest';
import { fitReport } from './fit-report.ts';

const report = (evidence: RunReport['evidence']): RunReport => ({
  ...{ result_id: '01990000-0000-7000-8000-000000000001', test_id: '01990000-0000-7000-8000-000000000002', test_version: 1 },
  ...{ runner_id: 'r', type: 'browser', target: 'https://shop.example/', on_demand: false, success: false, fault: 'step' },
  ...{ planned_at: '2026-11-25T10:00:00.000Z', started_at: '2026-11-25T10:00:00.000Z', error: 'step 2 failed' },
  ...{ phases: {}, total_ms: 1, figures: {}, assertions: [], evidence },
});
const read = (bytes: Buffer): RunReport => JSON.parse(bytes.toString('utf8')) as RunReport;

it('leaves out the screenshot first, then all evidence, and never the result', () => {
  const small = { response_head: 'HTTP/1.1 500', screenshot: 'x'.repeat(1000) };
  expect(read(fitReport(report(small)))).toEqual(report(small));
  expect(read(fitReport(report(small), 900))).toEqual(report({ response_head: 'HTTP/1.1 500' }));
  const bare = read(fitReport(report({ body_excerpt: 'y'.repeat(4000) }), 900));
  expect(bare).toMatchObject({ success: false, error: 'step 2 failed' });
  expect(bare.evidence).toBeUndefined();
});
