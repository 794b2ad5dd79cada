import type { Incident, IncidentView } from '@svc/contracts/incidents/incident';
import type { ReactNode } from 'react';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { formatAge } from '../../../ui/words/format.ts';
import { byWhom } from '../incident-words.ts';

const between = (from: string, to: string | number): string => formatAge(new Date(to).getTime() - new Date(from).getTime());

/** The facts of its life in equal cells; the last stays open while it does. */
export function LifeCells({ view: { incident, signals } }: { view: IncidentView }) {
  const now = useNow(5_000);
  const first = signals.toSorted((a, b) => a.occurred_at.localeCompare(b.occurred_at))[0];
  return (
    <section className="card" aria-label="Its life">
      <dl className="inc-life">
        <Cell term="First harm" value={<Time at={incident.started_at} show="second" />} note={first?.title ?? ''} />
        <Cell
          term="Opened"
          value={<Time at={incident.opened_at} show="second" />}
          note={`${between(incident.started_at, incident.opened_at)} later`}
        />
        <Cell {...acknowledged(incident)} />
        <Cell
          term="Last seen"
          value={<Time at={incident.last_seen_at} show="second" />}
          note={
            incident.open_signal_count === 0
              ? 'everything has recovered'
              : `${incident.open_signal_count} of ${incident.signal_count} not recovered`
          }
        />
        <Cell {...resolved(incident, now)} />
      </dl>
    </section>
  );
}

interface CellProps {
  term: string;
  value: ReactNode;
  note: string;
  isOpen?: boolean;
}

function Cell({ term, value, note, isOpen = false }: CellProps) {
  return (
    <div className={isOpen ? 'open' : undefined}>
      <dt>{term}</dt>
      <dd className="num">{value}</dd>
      <dd title={note}>{note}</dd>
    </div>
  );
}

function acknowledged({ acknowledged_at, acknowledged_by, opened_at, status }: Incident): CellProps {
  if (!acknowledged_at)
    return { term: 'Acknowledged', value: status === 'resolved' ? 'Never' : 'Not yet', note: 'nobody has it' };
  return {
    term: 'Acknowledged',
    value: <Time at={acknowledged_at} show="second" />,
    note: `${byWhom(acknowledged_by)}, ${between(opened_at, acknowledged_at)} after opening`,
  };
}

function resolved({ resolved_at, resolved_by, opened_at }: Incident, now: number): CellProps {
  if (!resolved_at) return { term: 'Resolved', value: 'Not yet', note: `open for ${between(opened_at, now)}`, isOpen: true };
  return {
    term: 'Resolved',
    value: <Time at={resolved_at} show="second" />,
    note: `${byWhom(resolved_by)}, after ${between(opened_at, resolved_at)}`,
  };
}
