import type { FleetSummary } from '@svc/contracts/endpoint/view';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Time } from '../../../ui/moments/time.tsx';
import { buildHeadline, buildRemainder } from './fleet-sentence.ts';

const AT_MOST_EVERY_MS = 60_000;

/** The newest value, but renewed at most once a minute and never while its element holds the focus. */
function useCalm(summary: FleetSummary, held: React.RefObject<HTMLElement | null>): FleetSummary {
  const [calm, setCalm] = useState({ summary, at: Date.now() });
  useEffect(() => {
    const wait = calm.summary.total !== summary.total ? 0 : Math.max(0, calm.at + AT_MOST_EVERY_MS - Date.now());
    const timer = setTimeout(() => {
      if (!held.current?.contains(document.activeElement)) setCalm({ summary, at: Date.now() });
    }, wait);
    return () => clearTimeout(timer);
  }, [summary, calm, held]);
  return calm.summary;
}

/** The sentence first: its counts lead to the filtered table; below it what it left out and when it was computed. */
export function Headline({ summary, action }: { summary: FleetSummary; action: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const calm = useCalm(summary, element);
  const remainder = buildRemainder(calm);
  return (
    <div className="head">
      <div className="grow" ref={element}>
        <h1>
          {buildHeadline(calm).map((part) =>
            part.search ? (
              <Link key={part.text} to="/fleet" search={part.search}>
                {part.text}
              </Link>
            ) : (
              part.text
            ),
          )}
        </h1>
        <p className="soft">
          {remainder} Computed at <Time at={calm.computed_at} show="clock" /> from the last 10 minutes.{' '}
          <Link to="/settings">How a verdict is made</Link>
        </p>
      </div>
      {action}
    </div>
  );
}
