import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, tell } from '../../api.ts';
import type { ExportStatus, TestPointAnswer } from '../../api-types.ts';
import { POLL_MS } from '../../queries.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { ROLE_NAMES } from '../../ui/permission/role-words.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { formatCount, formatMs, plural } from '../../ui/words/format.ts';

const KEY = ['otlpExport.status'];
const PROTOCOLS = { grpc: 'gRPC', 'http/protobuf': 'HTTP, protobuf' } as const;

/** Where this organisation's metrics go, what became of them, and a point to try the way with. */
export function ExportTab() {
  const mayWrite = useMay('settings.write');
  const status = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => ask('otlpExport.status', {}, signal),
    refetchInterval: POLL_MS,
  });
  if (status.isError && !status.data) return <Failure error={status.error} retry={() => status.refetch()} />;
  if (!status.data) return <Ghost width={480} />;
  return (
    <section className="card" aria-labelledby="export-h">
      <header>
        <h2 id="export-h">Metrics export</h2>
        <span className="s mute">what devices and tests measured, sent to your organisation’s collector</span>
      </header>
      {status.data.endpoint === null ? (
        <EmptyState icon="network" title="Nothing is sent">
          <p>
            Whoever operates this server sets <code className="mono">SVC_OTLP_EXPORT_URL</code> and{' '}
            <code className="mono">SVC_OTLP_EXPORT_TOKEN</code>; metrics then go there over gRPC or HTTP, with TLS.
          </p>
        </EmptyState>
      ) : (
        <>
          <Figures status={status.data} />
          <TestPoint mayWrite={mayWrite} />
        </>
      )}
    </section>
  );
}

function Figure({ word, value, note }: { word: string; value: number; note: string }) {
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        <b className="num">{formatCount(value)}</b>
        <span className="s mute">{note}</span>
      </dd>
    </div>
  );
}

function Figures({ status }: { status: ExportStatus }) {
  const { endpoint, protocol, interval_seconds: seconds, last_error: error, last_sent_at: lastSentAt } = status;
  // What was taken after the last fault says that it is over.
  const isOver = error !== null && lastSentAt !== null && lastSentAt > error.at;
  return (
    <>
      <p className="exportway">
        <span className="mono wrapany">{endpoint}</span>
        <span className="mute">
          {protocol ? PROTOCOLS[protocol] : ''}, every {plural(seconds ?? 0, 'second')}
        </span>
      </p>
      <dl className="exportfigures">
        <Figure word="Queued" value={status.queued} note="points that wait" />
        <Figure word="Sent" value={status.sent} note="points the collector took" />
        <Figure word="Dropped" value={status.dropped} note="refused, too old, or too many" />
        <div>
          <dt>Last sent</dt>
          <dd>{lastSentAt ? <Time at={lastSentAt} /> : <span className="mute">not yet</span>}</dd>
        </div>
      </dl>
      {error ? (
        <p className={isOver ? 'exporterror mute' : 'exporterror'}>
          <Icon name={isOver ? 'check' : 'warning'} size={14} />
          <span className="wrapany">
            {isOver ? 'Over: ' : ''}
            {error.words} <span className="mute nowrap">(</span>
            <Time at={error.at} />
            <span className="mute">)</span>
          </span>
        </p>
      ) : null}
      <p className="s mute rightsnote">Counted since the server that answers was started.</p>
    </>
  );
}

const answerWords = ({ ok, words, took_ms: took }: TestPointAnswer): string =>
  ok ? `The collector took it in ${formatMs(took)}.${words ? ` It says: ${words}` : ''}` : words;

function TestPoint({ mayWrite }: { mayWrite: boolean }) {
  const queryClient = useQueryClient();
  const send = useMutation({
    mutationFn: () => tell('otlpExport.sendTestPoint', {}),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <div className="exporttest">
      <Button
        look="primary"
        busy={send.isPending}
        unavailable={mayWrite ? undefined : `Someone with the role ${ROLE_NAMES.admin} can send one`}
        onClick={() => send.mutate()}
      >
        Send a test point
      </Button>
      <span className="s mute">
        one value of <code className="mono">svc.export.test</code>
      </span>
      <p aria-live="polite" className={send.error || send.data?.ok === false ? 'err wrapany' : 'wrapany'}>
        {send.isPending ? 'Sent; waiting for the answer…' : null}
        {send.error ? send.error.message : null}
        {send.data && !send.isPending ? answerWords(send.data) : null}
      </p>
    </div>
  );
}
