import type { Phase } from '@svc/contracts/tests/run-report';
import { threadCpuMs } from '../cpu.ts';
import type { Run } from '../run.ts';
import { cut } from '../run-failure.ts';
import { matchExpression } from './expression.ts';

export interface Check {
  readonly rule: string;
  readonly wanted: string;
  readonly got: string;
  readonly passed: boolean;
}

export function note(run: Run, { rule, wanted, got, passed }: Check): void {
  const clean = (text: string): string => cut(run.redactor.redact(text), 512);
  run.assertions.push({ rule: cut(rule, 64), wanted: clean(wanted), got: clean(got), passed });
}

/** A value as it is shown, short and on one line. */
export const shown = (text: string, length = 200): string => JSON.stringify(cut(text, length));

/** A figure beside its bound, with as many digits as it takes to be on the same side of it as it is. */
export const besideBound = (value: number, bound: number, digits: number): string => {
  const text = value.toFixed(digits);
  return value > bound !== Number(text) > bound && digits < 6 ? besideBound(value, bound, digits + 1) : text;
};
const milliseconds = (ms: number, bound: number): string => `${besideBound(ms, bound, ms < 10 ? 1 : 0)} ms`;

const NAMES: Readonly<Record<Phase, string>> = {
  dns: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  first_byte: 'first byte',
  transfer: 'transfer',
};

type Bounds = { readonly [Key in `${Phase}_ms` | 'total_ms']?: number | undefined };

/** Bounds of phases and of the whole; one of a phase that was no part of the run holds. */
export function checkBounds(run: Run, bounds: Bounds): void {
  for (const phase of Object.keys(NAMES) as Phase[]) {
    const most = bounds[`${phase}_ms`];
    if (most === undefined) continue;
    const ms = run.phases[phase];
    const got = ms === undefined ? 'no part of this run' : milliseconds(ms, most);
    note(run, { rule: `${phase}_ms`, wanted: `${NAMES[phase]} within ${most} ms`, got, passed: ms === undefined || ms <= most });
  }
  if (bounds.total_ms === undefined) return;
  const ms = performance.now() - run.startedMs;
  note(run, {
    rule: 'total_ms',
    wanted: `all within ${bounds.total_ms} ms`,
    got: milliseconds(ms, bounds.total_ms),
    passed: ms <= bounds.total_ms,
  });
}

export function checkCertificateDays(run: Run, least: number | undefined): void {
  if (least === undefined) return;
  const days = run.figures['certificate.days'];
  const got = days === undefined ? 'no certificate' : `${days} days`;
  note(run, {
    rule: 'certificate_days',
    wanted: `certificate valid for ${least} days or more`,
    got,
    passed: days !== undefined && days >= least,
  });
}

/** What the expressions of one run may take of the CPU: the runner's other tests wait meanwhile. */
const MAX_MATCH_MS = 200;

/** `what` names the text, such as "body". */
export function checkMatch(
  run: Run,
  rule: string,
  { pattern, text, what }: { pattern: string; text: string; what: string },
): void {
  const wanted = `${what} matches ${shown(pattern)}`;
  if (run.matchMs > MAX_MATCH_MS)
    return void note(run, { rule, wanted, got: 'not looked at: the expressions before it took too long', passed: false });
  const sinceMs = threadCpuMs();
  try {
    const { found, lookedAt } = matchExpression(pattern, text);
    const where = lookedAt === undefined ? '' : ` in the first ${lookedAt} characters`;
    note(run, { rule, wanted, got: found ? 'a match' : `no match${where}: ${shown(text)}`, passed: found });
  } catch (error) {
    note(run, { rule, wanted, got: error instanceof Error ? error.message : 'unreadable', passed: false });
  } finally {
    run.matchMs += threadCpuMs() - sinceMs;
  }
}
