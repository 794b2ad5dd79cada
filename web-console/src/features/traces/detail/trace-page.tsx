import './trace.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { ask } from '../../../api.ts';
import type { Trace, TraceSpan } from '../../../api-types.ts';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { CopyButton } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { Breadcrumb } from '../../../ui/page/breadcrumb.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { ServiceColors } from '../../../ui/services/service-colors.tsx';
import { CriticalCard } from './critical-card.tsx';
import { SpanPanel } from './span-panel.tsx';
import { describeFault, exceptionOf, findFault } from './trace-fault.ts';
import { TraceLogs } from './trace-logs.tsx';
import type { TraceSearch } from './trace-search.ts';
import { describeLimits, describeParts, describeTrace } from './trace-words.ts';
import { Waterfall } from './waterfall.tsx';

const route = getRouteApi('/traces/$id');

const shorten = (id: string): string => (id.length > 9 ? `${id.slice(0, 4)}…${id.slice(-4)}` : id);

/** Where did the time of this one go? */
export function TracePage() {
  const { id } = route.useParams();
  const trace = useQuery({
    queryKey: ['traces.get', id],
    queryFn: ({ signal }) => ask('traces.get', { id }, signal),
    // A trace is over; spans that come late are seen when the page is opened again.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const name = trace.data?.root.name;
  useEffect(() => {
    document.title = name ? `${name}, trace` : 'Trace';
  }, [name]);
  return (
    <div className="page wf-page">
      <Crumbs id={id} trace={trace.data} />
      {trace.data ? (
        <ServiceColors names={trace.data.services.map(({ name: service }) => service)}>
          <Shown trace={trace.data} />
        </ServiceColors>
      ) : null}
      {trace.isPending ? <Waiting /> : null}
      {trace.error && !trace.data ? <Failure error={trace.error} retry={() => trace.refetch()} /> : null}
    </div>
  );
}

function Crumbs({ id, trace }: { id: string; trace: Trace | undefined }) {
  const { span } = route.useSearch();
  const link = `${location.origin}/traces/${id}${span ? `?span=${span}` : ''}`;
  return (
    <Breadcrumb
      className="crumb wf-crumb"
      here={
        <span className="num" title={id}>
          {shorten(id)}
        </span>
      }
    >
      {trace ? (
        <>
          <Link
            className="btn quiet"
            to="/traces"
            search={{ service: [trace.root.service], operation: [trace.root.name] }}
            title={`Traces with a span ${trace.root.name} of ${trace.root.service}`}
          >
            Find similar
          </Link>
          <a className="btn quiet" href={`/v1/otlp/traces/${id}/otlp`} download={`trace-${id}.json`}>
            <Icon name="download" size={14} />
            OTLP JSON
          </a>
        </>
      ) : null}
      <CopyButton text={link} label="Copy link" />
    </Breadcrumb>
  );
}

function Waiting() {
  return (
    <>
      <h1>
        <Ghost width={420} says="Trace, loading" />
      </h1>
      <section className="card wf-ghost">
        <Ghost width="60%" />
      </section>
    </>
  );
}

/** Of a failed span whose status has no message; '' until it is known. */
function useException(id: string, fault: TraceSpan | undefined): string {
  const span = fault?.id ?? '';
  const detail = useQuery({
    queryKey: ['traces.span', id, span],
    queryFn: ({ signal }) => ask('traces.span', { id, span }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: fault !== undefined && fault.status_message === '' && fault.events > 0,
  });
  return exceptionOf(detail.data?.events ?? []);
}

function Shown({ trace }: { trace: Trace }) {
  const search = route.useSearch();
  const change = useSearchChange<TraceSearch>();
  const limits = describeLimits(trace);
  const chosen = trace.spans.find(({ id }) => id === search.span);
  const fault = useMemo(() => findFault(trace.spans), [trace.spans]);
  const exception = useException(trace.trace_id, fault);
  return (
    <>
      <div>
        <h1>{fault ? describeFault(trace, fault, exception) : describeTrace(trace)}</h1>
        <p className="soft">
          {describeParts(trace)}, started <Time at={trace.started_at} show="second" />.{' '}
          {fault && fault.id !== chosen?.id ? (
            <button type="button" className="linkish" onClick={() => change({ span: fault.id })}>
              Show the failed span
            </button>
          ) : null}
        </p>
      </div>
      {limits.map((limit) => (
        <p key={limit} className="note s">
          {limit}
        </p>
      ))}
      <CriticalCard trace={trace} />
      <div className={chosen ? 'wf-split open' : 'wf-split'}>
        <Waterfall trace={trace} search={search} onChange={change} />
        {chosen ? <SpanPanel key={chosen.id} trace={trace} span={chosen} onClose={() => change({ span: undefined })} /> : null}
      </div>
      <TraceLogs key={chosen?.id} trace={trace} span={chosen} />
    </>
  );
}
