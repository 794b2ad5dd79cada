import type { TestView } from '@svc/contracts/tests/views';
import type { ReactNode } from 'react';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { formatCount, formatDuration, formatMs } from '../../../ui/words/format.ts';
import { availabilityWords } from '../availability-words.ts';

interface FactProps {
  title: string;
  value: ReactNode;
  children: ReactNode;
}

const Fact = ({ title, value, children }: FactProps) => (
  <div>
    <dt>{title}</dt>
    <dd className="num">{value}</dd>
    <dd>{children}</dd>
  </div>
);

const NONE = <span className="mute">none</span>;

function Available({ view }: { view: TestView }) {
  const [day] = view.availability;
  if (!day || day.ratio === null)
    return (
      <Fact title="Available, 24 h" value={<span className="mute">not run</span>}>
        no run in 24 h
      </Fact>
    );
  const made = `${formatCount(day.runs - day.failed)} of ${formatCount(day.runs)} runs`;
  return (
    <Fact title="Available, 24 h" value={availabilityWords(day.ratio)}>
      {made}
      {day.not_run > 0 ? `, ${formatCount(day.not_run)} not made` : ''}
    </Fact>
  );
}

function Longer({ view }: { view: TestView }) {
  const longer = view.availability.filter(({ days }) => days > 1);
  const [week] = longer;
  const words = (ratio: number | null): string => (ratio === null ? 'no run' : availabilityWords(ratio));
  return (
    <Fact
      title={`Available, ${week?.days ?? 7} days`}
      value={week?.ratio == null ? <span className="mute">no run</span> : words(week.ratio)}
    >
      {longer
        .slice(1)
        .map(({ days, ratio }) => `${days} d ${words(ratio)}`)
        .join(', ')}
    </Fact>
  );
}

const inSeconds = (seconds: number): string =>
  seconds < 60 ? `${Math.round(seconds)}\u00a0s` : `${Math.floor(seconds / 60)}\u00a0min ${Math.round(seconds % 60)}\u00a0s`;

function Certificate({ view }: { view: TestView }) {
  const { certificate_days: days } = view.row;
  if (days === null) return null;
  return (
    <Fact title="Certificate" value={days < 0 ? 'ended' : `${Math.floor(days)} days`}>
      {view.certificate_changed_at ? (
        <>
          changed <Time at={view.certificate_changed_at} />
        </>
      ) : (
        'left'
      )}
    </Fact>
  );
}

/** Key figures of a test in one row of equal cells. */
export function FactsCard({ view }: { view: TestView }) {
  const now = useNow(1000);
  const { row } = view;
  const wait = row.next_at ? Date.parse(row.next_at) - now : undefined;
  return (
    <section className="card" aria-label="Key figures">
      <dl className="testfacts">
        <Available view={view} />
        <Longer view={view} />
        <Fact title="Total now" value={row.last ? formatMs(row.last.total_ms) : NONE}>
          {row.usual_ms === null ? 'too few runs for a usual value' : `usual ${formatMs(row.usual_ms)}, median of 7 days`}
        </Fact>
        {view.detected_after_seconds === null ? null : (
          <Fact title="Time to detect" value={inSeconds(view.detected_after_seconds)}>
            {view.failing_after === 1 ? 'at the first failing run' : `at failing run ${view.failing_after} in a row`}
          </Fact>
        )}
        <Fact title="Last run" value={row.last ? <Time at={row.last.started_at} show="second" now={now} /> : NONE}>
          {row.last ? `${row.last.runner_name}, ${row.last.success ? 'passed' : 'failed'}` : 'has not run yet'}
        </Fact>
        <Fact
          title="Next run"
          value={row.next_at && row.state !== 'paused' ? <Time at={row.next_at} show="second" now={now} /> : NONE}
        >
          {nextWords(row.state, wait)}
        </Fact>
        <Certificate view={view} />
      </dl>
    </section>
  );
}

function nextWords(state: TestView['row']['state'], waitMs: number | undefined): string {
  if (state === 'paused') return 'paused';
  if (waitMs === undefined) return 'no runner has it planned';
  if (waitMs <= 0) return 'due now';
  return `in ${waitMs < 120_000 ? inSeconds(waitMs / 1000) : formatDuration(waitMs)}`;
}
