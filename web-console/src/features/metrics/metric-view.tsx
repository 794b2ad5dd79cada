import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { ApiError, ask } from '../../api.ts';
import type { Exemplar, MetricName, MetricRange } from '../../api-types.ts';
import { ChangeLane } from '../../ui/changes/change-lane.tsx';
import { Button } from '../../ui/controls/controls.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ServiceColors, useServiceColor } from '../../ui/services/service-colors.tsx';
import { formatDuration } from '../../ui/words/format.ts';
import { ExemplarList } from './exemplar-list.tsx';
import { LabelPanel } from './label-panel.tsx';
import { isByService, lineLooks, serviceOf } from './line-looks.ts';
import { targetsOf } from './line-targets.ts';
import { MetricChart } from './metric-chart.tsx';
import { describeQuestion, formatMetric, isOverflow, nameLine, tellingLabels } from './metric-words.ts';
import { choiceOf, isHistogram, type Line, type MetricsSearch, matchersOf, stepOf } from './metrics-search.ts';
import { QuestionBar } from './question-bar.tsx';
import { SeriesTable } from './series-table.tsx';

/** Lines that the chart draws; the table holds all. */
const MAX_DRAWN = 40;
/** Two for each hundredth of the window. */
const MAX_EXEMPLARS = 200;

interface ViewProps {
  about: MetricName;
  search: MetricsSearch;
  window: { from: string; to: string };
  onChange: (part: MetricsSearch) => void;
}

const mostOf = ({ values }: Line): number => values.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY);

/** One metric: what is asked of it, its lines, its labels, and the traces behind single measurements. */
export function MetricView({ about, search, window, onChange }: ViewProps) {
  const choice = choiceOf(search, about);
  const base = { metric: about.metric, matchers: matchersOf(search.match), ...window };
  const seconds = stepOf(window);
  const question = {
    ...base,
    kind: about.kind,
    function: choice.fn,
    quantile: choice.q,
    aggregate: choice.agg,
    by: search.by ?? [],
    ...(seconds ? { step_seconds: seconds } : {}),
  };
  const range = useQuery({
    queryKey: ['metrics.range', question],
    queryFn: ({ signal }) => ask('metrics.range', question, signal),
    placeholderData: keepPreviousData,
  });
  const exemplars = useQuery({
    queryKey: ['metrics.exemplars', base],
    queryFn: ({ signal }) => ask('metrics.exemplars', { ...base, limit: MAX_EXEMPLARS }, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <QuestionBar kind={about.kind} search={search} choice={choice} onChange={onChange} />
      <div className="mt-split">
        <div className="mt-main">
          <ServiceColors names={[...(range.data?.series ?? []), ...(exemplars.data?.items ?? [])].map(serviceOf).filter(Boolean)}>
            <ChangeLane
              targets={targetsOf(range.data?.series ?? [], base.matchers)}
              span={{ from: Date.parse(window.from), to: Date.parse(window.to) }}
            >
              <RangeCard
                about={about}
                search={search}
                range={range}
                exemplars={exemplars.data?.items ?? []}
                choice={choice}
                onChange={onChange}
              />
            </ChangeLane>
          </ServiceColors>
        </div>
        <LabelPanel metric={about.metric} search={search} window={window} onChange={onChange} />
      </div>
    </>
  );
}

interface RangeCardProps extends Pick<ViewProps, 'about' | 'search' | 'onChange'> {
  range: { data: MetricRange | undefined; error: unknown; isPlaceholderData: boolean; refetch: () => unknown };
  exemplars: readonly Exemplar[];
  choice: ReturnType<typeof choiceOf>;
}

function RangeCard({ about, search, range, exemplars, choice, onChange }: RangeCardProps) {
  const [looked, setLooked] = useState<number>();
  const { unit, kind } = about;
  const { fn } = choice;
  const format = useCallback((value: number) => formatMetric(value, { unit, fn, kind }), [unit, fn, kind]);
  const single = useCallback((value: number) => formatMetric(value, { unit, fn: 'avg', kind }), [unit, kind]);
  const lines = useMemo(() => [...(range.data?.series ?? [])].sort((a, b) => mostOf(b) - mostOf(a)), [range.data]);
  const drawn = useMemo(() => lines.slice(0, MAX_DRAWN), [lines]);
  const serviceColor = useServiceColor();
  const looks = useMemo(() => lineLooks(drawn, serviceColor), [drawn, serviceColor]);
  const names = useMemo(() => {
    const telling = tellingLabels(lines);
    return lines.map((line) => nameLine(line, telling));
  }, [lines]);
  if (range.error && !range.data) {
    const nothing = range.error instanceof ApiError && range.error.code === 'not_found';
    return (
      <section className="card">
        {nothing ? (
          <NothingHere search={search} onChange={onChange} />
        ) : (
          <Failure error={range.error} retry={() => range.refetch()} kept="What you asked for is kept." />
        )}
      </section>
    );
  }
  // A question without an answer of its kind keeps the axis of measurements only where both tell the same thing.
  const placed =
    fn === 'quantile' || (fn === 'avg' && isHistogram(kind)) || (!isHistogram(kind) && fn !== 'rate' && fn !== 'increase');
  const words = describeQuestion({ ...choice, by: search.by ?? [] });
  return (
    <>
      <section className="card" aria-label="Chart">
        <header>
          <h2>{words}</h2>
          <span className="s mute">{range.data ? `each ${formatStep(range.data.step_ms)}, drag to zoom` : null}</span>
        </header>
        <div className={range.isPlaceholderData ? 'mt-chart stale' : 'mt-chart'}>
          {range.data === undefined ? <Ghost width="100%" /> : null}
          {range.data && lines.length > 0 ? (
            <MetricChart
              range={range.data}
              lines={drawn}
              looks={looks}
              names={names}
              exemplars={exemplars}
              placed={placed}
              looked={looked}
              title={`${about.metric}: ${words}`}
              format={format}
              onBrush={(from, to) => onChange({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })}
            />
          ) : null}
          {range.data && lines.length === 0 ? <NothingHere search={search} onChange={onChange} /> : null}
        </div>
        {lines.some(isOverflow) ? <OverflowNote /> : null}
      </section>
      {lines.length > 0 ? (
        <SeriesTable
          lines={lines}
          looks={looks}
          names={names}
          search={search}
          format={format}
          onLook={setLooked}
          onChange={onChange}
        />
      ) : null}
      <ExemplarList exemplars={exemplars} format={single} marked={isByService(drawn)} />
    </>
  );
}

/** Where the overflow series is among the lines. */
const OverflowNote = () => (
  <p className="note off">
    The limit of new series per day was reached. Series of this metric beyond it were folded into “other series” or left out:{' '}
    <Link to="/otlp">see Telemetry in</Link>.
  </p>
);

const formatStep = (ms: number): string => (ms < 60_000 ? `${ms / 1000}\u00a0s` : formatDuration(ms));

/** Nothing of this metric in this time, or nothing that fits. */
function NothingHere({ search, onChange }: Pick<ViewProps, 'search' | 'onChange'>) {
  const asked = search.match !== undefined;
  const brushed = search.from !== undefined;
  return (
    <EmptyState icon={asked ? 'filter' : 'noContact'} title={asked ? 'No series matches' : 'No value in this time'}>
      <p>
        {asked
          ? 'The metric exists, but none of its series matches.'
          : 'It was received, but has no value in this time. A counter needs two points.'}
      </p>
      <p className="row">
        {asked ? <Button onClick={() => onChange({ match: undefined })}>Clear conditions</Button> : null}
        {brushed ? <Button onClick={() => onChange({ from: undefined, to: undefined })}>Zoom out</Button> : null}
        {!brushed && search.range !== '24h' ? <Button onClick={() => onChange({ range: '24h' })}>Last 24 hours</Button> : null}
      </p>
    </EmptyState>
  );
}
