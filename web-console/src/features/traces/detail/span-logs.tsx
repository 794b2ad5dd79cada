import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../../api.ts';
import { Segments } from '../../../ui/controls.tsx';
import { Ghost } from '../../../ui/empty-state.tsx';
import { describeFailure } from '../../../ui/failure.tsx';
import { formatUtc } from '../../../ui/format.ts';
import { formatNs } from './trace-words.ts';

/** From WARN on (SeverityNumber of OTLP). */
const LOUD = 13;
const LEVELS = ['', 'TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

const levelOf = (severity: number, text: string): string => text || (LEVELS[Math.ceil(severity / 4)] ?? '');

interface SpanLogsProps {
  traceId: string;
  spanId: string;
  startNano: string;
}

/** What was logged within the span, or within the whole trace, by its distance from the trace's start. */
export function SpanLogs({ traceId, spanId, startNano }: SpanLogsProps) {
  const [whole, setWhole] = useState(false);
  const logs = useQuery({
    queryKey: ['traces.logs', traceId, whole ? '' : spanId],
    queryFn: ({ signal }) => ask('traces.logs', { id: traceId, ...(whole ? {} : { span: spanId }) }, signal),
  });
  const start = BigInt(startNano);
  return (
    <>
      <div className="wf-pad">
        <Segments
          label="Logs of"
          value={whole ? 'trace' : 'span'}
          options={[
            { value: 'span', label: 'This span' },
            { value: 'trace', label: 'Whole trace' },
          ]}
          onChange={(next) => setWhole(next === 'trace')}
        />
      </div>
      {logs.isPending ? <Ghost width="70%" /> : null}
      {logs.error ? <p className="err s wf-pad">{describeFailure(logs.error).text}</p> : null}
      {logs.data?.items.length === 0 ? (
        <p className="mute s wf-pad">Nothing was logged with the id of this {whole ? 'trace' : 'span'}.</p>
      ) : null}
      <ul className="wf-logs">
        {logs.data?.items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike to the nanosecond.
          <li key={`${item.unix_nano} ${index}`} className={item.severity >= LOUD ? 'loud' : undefined}>
            <time dateTime={item.at} title={formatUtc(item.at)}>
              {BigInt(item.unix_nano) >= start ? formatNs(Number(BigInt(item.unix_nano) - start)) : 'before'}
            </time>
            <b>{levelOf(item.severity, item.severity_text)}</b>
            <span>{item.body}</span>
          </li>
        ))}
      </ul>
      {logs.data?.more ? <p className="mute s wf-pad">There are more: these are the first {logs.data.items.length}.</p> : null}
    </>
  );
}
