import './metrics.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ask } from '../../api.ts';
import type { MetricName } from '../../api-types.ts';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { Pop } from '../../ui/controls/floating.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { kindWord, MetricPicker } from './metric-picker.tsx';
import { MetricView } from './metric-view.tsx';
import { countedSeries } from './metric-words.ts';
import { type MetricsSearch, windowOf } from './metrics-search.ts';

const route = getRouteApi('/metric-explorer');
/** While nothing has ever come, the page looks for the first metric by itself. */
const WAITING_POLL_MS = 3000;

/** What belongs to one metric and means nothing for another. */
const OF_METRIC: MetricsSearch = { match: undefined, fn: undefined, q: undefined, agg: undefined, by: undefined };

/** One window for all parts of the page, taken anew when the search changes or the reader asks. */
function useWindow({ range, from, to }: MetricsSearch): { window: { from: string; to: string }; renew: () => void } {
  const [renewed, setRenewed] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `renewed` stands for the clock.
  const window = useMemo(() => windowOf({ range, from, to }, Date.now()), [range, from, to, renewed]);
  return { window, renew: useCallback(() => setRenewed((count) => count + 1), []) };
}

/** The metric of the link; of a name that stands for two kinds the one with more series. */
function useAbout(metric: string | undefined, window: { from: string; to: string }) {
  return useQuery({
    queryKey: ['metrics.names', 'exactly', metric, window],
    queryFn: async ({ signal }) => {
      const names = await ask(
        'metrics.names',
        { ...window, limit: 1000, ...(metric ? { search: metric.slice(0, 200) } : {}) },
        signal,
      );
      const [about] = names.items.filter((item) => item.metric === metric).sort((a, b) => b.series - a.series);
      return { about, any: names.items.length > 0 };
    },
    placeholderData: keepPreviousData,
  });
}

/** Numbers over time: choose a metric, ask something of it, look closer. */
export function MetricsPage() {
  const search = route.useSearch();
  const change = useSearchChange<MetricsSearch>();
  const { window, renew } = useWindow(search);
  const { metric } = search;
  const names = useAbout(metric, window);
  const choose = (next: string): void => change({ ...OF_METRIC, metric: next });
  useEffect(() => {
    document.title = metric ?? 'Metrics';
  }, [metric]);
  const waits = names.data !== undefined && metric === undefined && !names.data.any && search.range === undefined && !search.from;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(renew, WAITING_POLL_MS);
    return () => clearInterval(timer);
  }, [waits, renew]);
  if (names.error && !names.data) return <Failure error={names.error} retry={renew} kept="What you asked for is kept." />;
  const about = names.data?.about;
  return (
    <div className="page mt-page">
      <div className="pagehead">
        <Head about={about} metric={metric} waits={names.isFetching} window={window} onChoose={choose} />
        <div className="row">
          <Button icon="update" look="quiet" busy={names.isFetching} onClick={renew}>
            Refresh
          </Button>
        </div>
      </div>
      {names.data === undefined ? <Ghost width="60%" /> : null}
      {waits ? <NoMetricYet /> : null}
      {names.data && !waits && metric === undefined ? (
        <section className="card mt-start" aria-label="Choose a metric">
          <MetricPicker window={window} onChoose={choose} />
        </section>
      ) : null}
      {about ? <MetricView about={about} search={search} window={window} onChange={change} /> : null}
      {names.data && metric !== undefined && !about && !names.isPlaceholderData ? (
        <section className="card">
          <EmptyState icon="noContact" title="Not received in this time">
            <p>No series of {metric} arrived in this time. Look further back, or choose another metric.</p>
            <p>
              <Button onClick={() => change({ range: '30d', from: undefined, to: undefined })}>Last 30 days</Button>
            </p>
          </EmptyState>
        </section>
      ) : null}
    </div>
  );
}

interface HeadProps {
  about: MetricName | undefined;
  metric: string | undefined;
  /** What is known of the metric is still asked for. */
  waits: boolean;
  window: { from: string; to: string };
  onChoose: (metric: string) => void;
}

function Head({ about, metric, waits, window, onChoose }: HeadProps) {
  if (metric === undefined)
    return (
      <div className="grow">
        <h1>Metrics</h1>
        <p className="soft">What services, hosts and networks count and measure. Choose one.</p>
      </div>
    );
  const unit = about && about.unit !== '' && about.unit !== '1' ? `, unit ${about.unit}` : '';
  return (
    <div className="grow mt-head">
      <h1>
        <Pop
          width={520}
          target={(open, toggle) => (
            <button type="button" className="mt-title" aria-expanded={open} title="Choose another metric" onClick={toggle}>
              {metric} <Icon name="down" size={14} />
            </button>
          )}
        >
          {(close) => (
            <MetricPicker
              window={window}
              chosen={metric}
              onChoose={(next) => {
                onChoose(next);
                close();
              }}
            />
          )}
        </Pop>
      </h1>
      <p className="soft">
        {about ? (
          <>
            {about.description ? `${about.description.replace(/\.$/, '')}. ` : null}
            {kindWord(about.kind).replace(/^./, (letter) => letter.toUpperCase())}
            {about.otel_name === metric ? '' : ` ${about.otel_name}`}
            {unit}, {countedSeries(about.series, window, Date.now())}
          </>
        ) : waits ? (
          <Ghost width={240} />
        ) : null}
      </p>
    </div>
  );
}

function NoMetricYet() {
  return (
    <section className="card">
      <EmptyState icon="bars" title="No metric has arrived yet">
        <p>
          <Link to="/otlp">Telemetry in</Link> shows how to point an OpenTelemetry SDK or Collector here, with a token of its own.
          SDKs send metrics once a minute by default; they appear here within two seconds after that. This page refreshes
          automatically.
        </p>
      </EmptyState>
    </section>
  );
}
