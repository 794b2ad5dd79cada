import { useQuery } from '@tanstack/react-query';
import { summaryQuery } from '../queries.ts';
import { Time } from '../ui/moments/time.tsx';
import { useMay } from '../ui/permission/use-may.ts';
import { useOutage } from '../ui/stale/use-outage.ts';
import { formatClock } from '../ui/words/format.ts';

/** Whether what is on screen is fresh, in words; the mark beside them never blinks. */
export function LiveState() {
  const readsFleet = useMay('agent.read');
  const summary = useQuery({ ...summaryQuery, enabled: readsFleet });
  const { outage } = useOutage();
  const failed = summary.isError || (outage !== undefined && summary.dataUpdatedAt < outage.since);
  if (!readsFleet || (!summary.data && !summary.isError)) return null;
  const live = !failed && summary.data?.collector_running === true && summary.data.total > 0;
  return (
    <span className="row s mute live-state">
      <svg width="8" height="8" aria-hidden="true">
        {live ? (
          <circle cx="4" cy="4" r="3.5" fill="var(--ink-2)" />
        ) : (
          <circle cx="4" cy="4" r="3" fill="none" stroke="var(--ink-3)" strokeWidth="1.5" />
        )}
      </svg>
      <LiveWords
        failed={failed}
        at={summary.dataUpdatedAt}
        total={summary.data?.total ?? 0}
        running={summary.data?.collector_running ?? false}
        computedAt={summary.data?.computed_at}
      />
    </span>
  );
}

interface WordsProps {
  failed: boolean;
  at: number;
  total: number;
  running: boolean;
  computedAt: string | undefined;
}

function LiveWords({ failed, at, total, running, computedAt }: WordsProps) {
  if (failed) return <span>Not live: no answer{at > 0 ? ` since ${formatClock(at)}` : ''}</span>;
  if (!running) return <span>Not live: the collector is not running</span>;
  if (total === 0 || !computedAt) return <span>No devices yet</span>;
  return (
    <span className="livewords">
      <span className="wide">Live, data to </span>
      <Time at={computedAt} show="clock" />
    </span>
  );
}
