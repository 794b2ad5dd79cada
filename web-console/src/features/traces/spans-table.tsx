import { Link } from '@tanstack/react-router';
import type { FoundSpan } from '../../api-types.ts';
import { Icon } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';
import { Length, Skeleton } from './traces-table.tsx';

/** Spans, one a row; the name opens it within its trace. */
export function SpansTable({ items }: { items: readonly FoundSpan[] | undefined }) {
  const longest = Math.max(0, ...(items ?? []).map(({ duration_ms: ms }) => ms));
  return (
    <table className="tr-table">
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col">Started</th>
          <th scope="col">Took</th>
          <th scope="col" className="tr-wide">
            Kind
          </th>
        </tr>
      </thead>
      <tbody>
        {items ? null : <Skeleton columns={4} />}
        {items?.map((span) => (
          <tr key={`${span.trace_id}${span.span_id}`}>
            <td className="tr-name">
              <Link to="/traces/$id" params={{ id: span.trace_id }} search={{ span: span.span_id }}>
                <ServiceMark name={span.service} />
                <b>{span.service}</b> <span>{span.name}</span>
              </Link>
              {span.status === 'error' ? (
                <span className="tr-bad">
                  <Icon name="warning" size={12} />
                  failed
                </span>
              ) : null}
            </td>
            <td className="mute num">
              <Time at={span.started_at} show="second" />
            </td>
            <td>
              <Length ms={span.duration_ms} longest={longest} failed={span.status === 'error'} />
            </td>
            <td className="tr-wide soft">{span.kind === 'unspecified' ? '' : span.kind}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
