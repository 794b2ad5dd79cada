import '../../ui/runs/runs.css';
import type { StripBar } from '@svc/contracts/tests/views';
import { countWords, stripPaths, sumBars } from '../../ui/runs/strip-bars.ts';

const STEP = 4;
const FULL = 16;

/** One bar an hour, oldest first. */
export function TestStrip({ bars }: { bars: readonly StripBar[] }) {
  const width = Math.max(bars.length * STEP - 1, 1);
  return (
    <svg
      className="strip"
      width={width}
      height={FULL}
      viewBox={`0 0 ${width} ${FULL}`}
      role="img"
      aria-label={`Last ${bars.length} hours: ${countWords(sumBars(bars))}`}
    >
      {stripPaths(bars, { step: STEP, full: FULL }).map(([kind, path]) => (
        <path key={kind} className={`run-${kind}`} d={path} />
      ))}
    </svg>
  );
}
