import { Link } from '@tanstack/react-router';
import type { Exemplar } from '../../api-types.ts';
import { Time } from '../../ui/moments/time.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';

const SHOWN = 10;

interface ExemplarListProps {
  exemplars: readonly Exemplar[];
  format: (value: number) => string;
  /** Whether services are marked by their colours; not where the lines of the chart use these for something else. */
  marked: boolean;
}

/** Of the two ends of one call each has a measurement: the service tells them apart. */
const nameOf = (labels: Exemplar['labels']): string => [labels['service.name'], labels['http.route']].filter(Boolean).join(' ');

/** The largest measurements that a trace is known of. */
export function ExemplarList({ exemplars, format, marked }: ExemplarListProps) {
  const now = Date.now();
  const traced = exemplars.filter(({ trace_id: trace }) => trace !== '');
  if (traced.length === 0) return null;
  return (
    <section className="card mt-exemplars" aria-label="Measurements with a trace">
      <header>
        <h2>Largest with a trace</h2>
        <span className="s mute">diamonds in the chart</span>
      </header>
      <ul>
        {[...traced]
          .sort((a, b) => b.value - a.value)
          .slice(0, SHOWN)
          .map(({ at, value, trace_id: trace, span_id: span, labels }) => (
            <li key={`${at} ${trace} ${span}`}>
              <Link to="/traces/$id" params={{ id: trace }} className="opt">
                {marked ? <ServiceMark name={labels['service.name'] ?? ''} /> : null}
                <b className="num">{format(value)}</b>
                <span className="mt-cut grow">{nameOf(labels) || trace.slice(0, 8)}</span>
                <Time at={at} now={now} className="mute num" />
              </Link>
            </li>
          ))}
      </ul>
    </section>
  );
}
