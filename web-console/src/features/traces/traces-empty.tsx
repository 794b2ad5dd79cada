import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { joinWords, plural } from '../../ui/words/format.ts';
import { countFilters, NO_FILTER, type TracesSearch } from './traces-search.ts';

interface NothingMatchesProps {
  search: TracesSearch;
  onChange: (part: TracesSearch) => void;
}

/** Spans have come, but none in this window is like that. */
export function NothingMatches({ search, onChange }: NothingMatchesProps) {
  const filters = countFilters(search);
  const brushed = search.from !== undefined;
  return (
    <EmptyState icon="filter" title={filters > 0 ? 'No trace matches' : 'No trace in this time'}>
      <p>{filters > 0 ? 'Spans arrived in this time, but none matches.' : 'Spans arrived earlier: look further back.'}</p>
      <p className="row">
        {filters > 0 ? <Button onClick={() => onChange(NO_FILTER)}>Clear {plural(filters, 'filter')}</Button> : null}
        {brushed || search.range !== '7d' ? (
          <Button onClick={() => onChange({ from: undefined, to: undefined, range: brushed ? search.range : '7d' })}>
            {brushed ? 'Zoom out' : 'Last 7 days'}
          </Button>
        ) : null}
      </p>
    </EmptyState>
  );
}

/** No span was ever received: says what is missing on the way here. */
export function NothingYet() {
  const status = useQuery({ queryKey: ['otlp.status'], queryFn: ({ signal }) => ask('otlp.status', {}, signal) });
  if (status.isPending) return <Ghost width="60%" />;
  const addresses = (status.data?.listeners ?? []).flatMap(({ address, transport }) =>
    address === null ? [] : [`${address} (${transport === 'grpc' ? 'gRPC' : 'HTTP'})`],
  );
  if (status.data && addresses.length === 0) {
    return (
      <EmptyState icon="plug" title="The OTLP receiver is off">
        <p>Traces arrive over OpenTelemetry (OTLP). Set SVC_OTLP_GRPC_ADDR or SVC_OTLP_HTTP_ADDR, then restart the server.</p>
      </EmptyState>
    );
  }
  if (status.data?.valid_tokens === 0) {
    return (
      <EmptyState icon="key" title="No token to send with yet">
        <p>The receiver listens at {joinWords(addresses)} and accepts data only with a token.</p>
        <p>
          <Link to="/otlp">Create one and copy an exporter’s settings</Link>
        </p>
      </EmptyState>
    );
  }
  const others = (status.data?.signals ?? []).flatMap(({ signal, last_at: at }) =>
    at !== null && signal !== 'traces' ? [signal] : [],
  );
  return (
    <EmptyState icon="waterfall" title="No span has arrived yet">
      <p>
        {others.length > 0
          ? `${joinWords(others)} do come, traces do not: switch a trace exporter on.`.replace(/^./, (first) =>
              first.toUpperCase(),
            )
          : `Point an OpenTelemetry SDK or Collector with a token at ${joinWords(addresses) || 'this server'}, and its traces appear here within two seconds.`}{' '}
        This page refreshes automatically.
      </p>
      <p>
        <Link to="/otlp">Settings to copy, and what was refused</Link>
      </p>
    </EmptyState>
  );
}
