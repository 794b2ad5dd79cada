import type { RunReport } from '@svc/contracts/tests/run-report';

/** Of one report as JSON: what a message holds, less its frame. */
export const MAX_REPORT_BYTES = 1000 * 1024;

/** A report as it travels; evidence that is too large is left out, the largest first, and never the result. */
export function fitReport(report: RunReport, maxBytes: number = MAX_REPORT_BYTES): Buffer {
  const whole = Buffer.from(JSON.stringify(report), 'utf8');
  if (whole.length <= maxBytes || !report.evidence) return whole;
  const { screenshot, ...rest } = report.evidence;
  const without = Buffer.from(JSON.stringify({ ...report, evidence: rest }), 'utf8');
  if (screenshot !== undefined && without.length <= maxBytes) return without;
  const { evidence, ...bare } = report;
  return Buffer.from(JSON.stringify(bare), 'utf8');
}
