import type { StripBar } from '@svc/contracts/tests/views';
import { formatCount } from '../words/format.ts';

export type BarKind = 'failed' | 'passed' | 'paused' | 'not_run';

/** What hurts wins; what was not run is no failure. */
export function kindOf({ failed, passed, paused }: StripBar): BarKind {
  if (failed > 0) return 'failed';
  if (passed > 0) return 'passed';
  return paused ? 'paused' : 'not_run';
}

interface BarShape {
  y: number;
  height: number;
  inset: number;
}

/** Height carries the result too: failed full, passed 5 of 16, paused half and hollow, not run a baseline. */
export function shapeOf(kind: BarKind, full: number): BarShape {
  if (kind === 'failed') return { y: 0, height: full, inset: 0 };
  if (kind === 'not_run') return { y: full - 1, height: 1, inset: 0 };
  if (kind === 'paused') return { y: full / 2 + 0.5, height: full / 2 - 1, inset: 0.5 };
  const height = Math.round((full * 5) / 16);
  return { y: full - height, height, inset: 0 };
}

/** Bars that look alike as one path: a table of 200 strips is hundreds of shapes so, not 4,800. */
export function stripPaths(bars: readonly StripBar[], { step, full }: { step: number; full: number }): [BarKind, string][] {
  const paths = new Map<BarKind, string>();
  for (const [index, bar] of bars.entries()) {
    const kind = kindOf(bar);
    const { y, height, inset } = shapeOf(kind, full);
    const width = Math.max(1, step - 1 - 2 * inset);
    const path = `M${(index * step + inset).toFixed(2)} ${y}h${width.toFixed(2)}v${height}h-${width.toFixed(2)}z`;
    paths.set(kind, (paths.get(kind) ?? '') + path);
  }
  return [...paths];
}

export interface RunCounts {
  passed: number;
  failed: number;
  not_run: number;
}

export const sumBars = (bars: readonly StripBar[]): RunCounts =>
  bars.reduce(
    (sum, { passed, failed, not_run }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      not_run: sum.not_run + not_run,
    }),
    { passed: 0, failed: 0, not_run: 0 },
  );

/** "702 passed, 14 failed, 4 not run" */
export function countWords({ passed, failed, not_run }: RunCounts): string {
  const parts = [
    [passed, 'passed'],
    [failed, 'failed'],
    [not_run, 'not run'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return told.length === 0 ? 'no run' : told.join(', ');
}
