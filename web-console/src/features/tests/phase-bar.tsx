import './phases.css';
import type { Phase } from '@svc/contracts/tests/run-report';
import type { TestType } from '@svc/contracts/tests/test-types';
import type { CSSProperties } from 'react';
import { PHASES, type Phases, phaseWord } from '../../ui/runs/phase-words.ts';

interface PhaseBarProps {
  phases: Phases;
  totalMs: number;
  /** Milliseconds of the bar's whole width. */
  scaleMs: number;
  usualMs?: number | null;
}

const percent = (ms: number, scaleMs: number): CSSProperties => ({
  width: `${Math.min(100, (ms / Math.max(scaleMs, 0.001)) * 100).toFixed(2)}%`,
});

/** Phases side by side with an outline; what lies between them and the total stands hollow at the end. The figures stand beside it. */
export function PhaseBar({ phases, totalMs, scaleMs, usualMs }: PhaseBarProps) {
  const known = PHASES.reduce((sum, phase) => sum + (phases[phase] ?? 0), 0);
  const rest = Math.max(0, totalMs - known);
  return (
    <span className="phasebar" aria-hidden="true">
      {PHASES.map((phase) =>
        (phases[phase] ?? 0) > 0 ? (
          <i key={phase} className={`ph-${phase}`} style={percent(phases[phase] ?? 0, scaleMs)} />
        ) : null,
      )}
      {rest > scaleMs / 500 ? <i className="ph-rest" style={percent(rest, scaleMs)} /> : null}
      {usualMs ? <u style={{ left: `${Math.min(100, (usualMs / scaleMs) * 100).toFixed(2)}%` }} /> : null}
    </span>
  );
}

interface LegendProps {
  phases: readonly Phase[];
  type: TestType;
  usual?: boolean;
}

export function PhaseLegend({ phases, type, usual = false }: LegendProps) {
  return (
    <span className="phasekeys">
      {phases.map((phase) => (
        <span key={phase} className="phasekey">
          <i className={`ph-${phase}`} />
          {phaseWord(phase, type)}
        </span>
      ))}
      {usual ? (
        <span className="phasekey">
          <i className="usualmark" />
          usual
        </span>
      ) : null}
    </span>
  );
}
