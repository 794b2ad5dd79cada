import { Link } from '@tanstack/react-router';
import type { FoundSpan } from '../../api-types.ts';
import { Icon } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';
import { type Column, ColumnHeads } from '../../ui/table/column-heads.tsx';
import { Length, Skeleton } from './traces-table.tsx';

const COLUMNS: readonly Column[] = ['Span', 'Started', 'Took', { name: 'Kind', className: 'tr-wide' }];

/** Spans, one a row; the name opens it within its trace. */
export function SpansTable({ items }: { items: readonly FoundSpan[] | undefined }) {
  const longest = Math.max(0, ...(items ?? []).map(({ duration_ms: ms }) => ms));
  return (
    <table className="tr-table">
      <ColumnHeads columns={COLUMNS} />
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
