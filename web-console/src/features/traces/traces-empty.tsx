import { Button } from '../../ui/controls.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { plural } from '../../ui/format.ts';
import { countFilters, NO_FILTER, type TracesSearch } from './traces-search.ts';

interface TracesEmptyProps {
  /** `none`: no span was ever received. */
  kind: 'none' | 'filtered';
  search: TracesSearch;
  onChange: (part: TracesSearch) => void;
}

/** Says which kind of nothing it is, and what to do. */
export function TracesEmpty({ kind, search, onChange }: TracesEmptyProps) {
  if (kind === 'none') {
    return (
      <section className="card">
        <EmptyState icon="waterfall" title="No span has come yet">
          <p>
            Point an OpenTelemetry SDK or Collector at this server with a token, and its traces stand here within two seconds.
            This page looks by itself.
          </p>
        </EmptyState>
      </section>
    );
  }
  const filters = countFilters(search);
  const brushed = search.from !== undefined;
  return (
    <EmptyState icon="filter" title={filters > 0 ? 'No trace matches' : 'No trace in this time'}>
      <p>{filters > 0 ? 'Spans have come, but none in this time is like that.' : 'Spans have come before: look further back.'}</p>
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
