import { Link } from '@tanstack/react-router';
import type { FoundTrace } from '../../api-types.ts';
import { Icon } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount, plural } from '../../ui/words/format.ts';
import { formatNs } from './detail/trace-words.ts';

const COLUMNS: readonly Column[] = [
  'Started with',
  'Started',
  'Took',
  numeric('Spans', { className: 'tr-wide' }),
  { name: 'Went through', className: 'tr-wide' },
];

const GHOSTS = [0, 1, 2, 3, 4, 5, 6, 7];
const MAX_NAMES = 4;

/** Length as a bar against the longest that is listed, with its figure. */
export function Length({
  ms,
  longest,
  failed,
  title,
}: {
  ms: number;
  longest: number;
  failed: boolean;
  title?: string | undefined;
}) {
  const width = longest > 0 ? Math.max(0.01, ms / longest) * 100 : 0;
  return (
    <span className="tr-length" title={title}>
      <span className="num">{formatNs(ms * 1e6)}</span>
      <span className="tr-track" aria-hidden="true">
        <i className={failed ? 'bad' : undefined} style={{ width: `${width}%` }} />
      </span>
    </span>
  );
}

/** Classes of the columns of both tables, as far as a narrow screen drops them. */
const GHOST_CLASSES = ['tr-name', 'tr-at', 'tr-took', 'tr-wide', 'tr-wide tr-last'] as const;

export function Skeleton({ columns }: { columns: number }) {
  return GHOSTS.map((row) => (
    <tr key={row}>
      {GHOST_CLASSES.slice(0, columns).map((className, column) => (
        <td key={className} className={className}>
          <Ghost width={`${40 + (((row + column) * 17) % 35)}%`} />
        </td>
      ))}
    </tr>
  ));
}

function Services({ trace }: { trace: FoundTrace }) {
  const others = trace.services.filter(({ name }) => name !== trace.root.service);
  const more = trace.service_count - 1 - Math.min(others.length, MAX_NAMES);
  return (
    <span className="tr-services">
      {others.slice(0, MAX_NAMES).map(({ name, spans }) => (
        <span key={name} title={`${name}: ${plural(spans, 'span')}`}>
          <ServiceMark name={name} />
          {name}
        </span>
      ))}
      {more > 0 ? <span className="mute">{more} more</span> : null}
    </span>
  );
}

/** How long its root took, as the page of the trace says; work that went on after it is in the tooltip. */
function Took({ trace, longest }: { trace: FoundTrace; longest: number }) {
  const { root, duration_ms: whole } = trace;
  const goesOn = whole > root.duration_ms;
  return (
    <Length
      ms={root.duration_ms}
      longest={longest}
      failed={trace.errors > 0}
      title={goesOn ? `Its last span ended after ${formatNs(whole * 1e6)}` : undefined}
    />
  );
}

/** Traces, one a row; the name opens it. */
export function TracesTable({ items }: { items: readonly FoundTrace[] | undefined }) {
  const longest = Math.max(0, ...(items ?? []).map(({ root }) => root.duration_ms));
  return (
    <table className="tr-table">
      <ColumnHeads columns={COLUMNS} />
      <tbody>
        {items ? null : <Skeleton columns={5} />}
        {items?.map((trace) => (
          <tr key={trace.trace_id}>
            <td className="tr-name">
              <Link to="/traces/$id" params={{ id: trace.trace_id }}>
                <ServiceMark name={trace.root.service} />
                <b>{trace.root.service}</b> <span>{trace.root.name}</span>
              </Link>
              {trace.errors > 0 ? (
                <span className="tr-bad" title={plural(trace.errors, 'failed span')}>
                  <Icon name="warning" size={12} />
                  {formatCount(trace.errors)}
                </span>
              ) : null}
              {trace.root.seen ? null : (
                <span className="tag" title="The root span is missing; this is the earliest span that was received.">
                  root not seen
                </span>
              )}
            </td>
            <td className="mute num">
              <Time at={trace.started_at} show="second" />
            </td>
            <td>
              <Took trace={trace} longest={longest} />
            </td>
            <td className="n tr-wide">{formatCount(trace.spans)}</td>
            <td className="tr-wide">
              <Services trace={trace} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
