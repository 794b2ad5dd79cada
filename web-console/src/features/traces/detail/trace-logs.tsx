import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../../api.ts';
import type { Trace, TraceSpan } from '../../../api-types.ts';
import { Segments } from '../../../ui/controls/controls.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { describeFailure } from '../../../ui/placeholders/failure.tsx';
import { formatNs } from './trace-words.ts';

/** From WARN on (SeverityNumber of OTLP). */
const LOUD = 13;
const LEVELS = ['', 'TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

/** Lines that the panel shows; it says so when there are more. */
const MAX_LINES = 200;

/** Lines may come before the first span and after the last one. */
const SPARE_MS = 60_000;
const around = ({ started_at: at, duration_ns: ns }: Trace) => ({
  from: new Date(Date.parse(at) - SPARE_MS).toISOString(),
  to: new Date(Date.parse(at) + ns / 1e6 + SPARE_MS).toISOString(),
});

const levelOf = (severity: number, text: string): string => text || (LEVELS[Math.ceil(severity / 4)] ?? '');

interface TraceLogsProps {
  trace: Trace;
  /** The span that is looked at; its own lines are shown first. */
  span: TraceSpan | undefined;
}

/** What was logged within the whole trace, or within the span that is looked at, by its distance from the trace's start. */
export function TraceLogs({ trace, span }: TraceLogsProps) {
  const [whole, setWhole] = useState(false);
  const id = trace.trace_id;
  const narrowed = span !== undefined && !whole ? span.id : undefined;
  const logs = useQuery({
    queryKey: ['traces.logs', id, narrowed ?? ''],
    queryFn: ({ signal }) => ask('traces.logs', { id, limit: MAX_LINES, ...(narrowed ? { span: narrowed } : {}) }, signal),
  });
  const start = BigInt(trace.start_unix_nano);
  return (
    <section className="card" aria-label="Logs">
      <header>
        <h2>Logs</h2>
        {span ? (
          <Segments
            label="Logs of"
            value={whole ? 'trace' : 'span'}
            options={[
              { value: 'span', label: 'This span' },
              { value: 'trace', label: 'Whole trace' },
            ]}
            onChange={(next) => setWhole(next === 'trace')}
          />
        ) : null}
        <span className="grow" />
        <Link className="s" to="/logs" search={{ trace: id, ...around(trace) }}>
          Open in logs
        </Link>
      </header>
      {logs.isPending ? <Ghost width="70%" /> : null}
      {logs.error && !logs.data ? <p className="err s wf-pad">{describeFailure(logs.error).text}</p> : null}
      {logs.data?.items.length === 0 ? (
        <p className="mute s wf-pad">No log record carries the id of this {narrowed ? 'span' : 'trace'}.</p>
      ) : null}
      <ul className="wf-logs wf-tab">
        {logs.data?.items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike to the nanosecond.
          <li key={`${item.unix_nano} ${index}`} className={item.severity >= LOUD ? 'loud' : undefined}>
            <Time at={item.at}>
              {BigInt(item.unix_nano) >= start ? formatNs(Number(BigInt(item.unix_nano) - start)) : 'before'}
            </Time>
            <span className="mute wf-service">{item.service}</span>
            <b>{levelOf(item.severity, item.severity_text)}</b>
            <span>{item.body}</span>
          </li>
        ))}
      </ul>
      {logs.data?.more ? <p className="mute s wf-pad">Only the first {logs.data.items.length} are shown.</p> : null}
    </section>
  );
}
