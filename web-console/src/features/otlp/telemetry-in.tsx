import './telemetry-in.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import type { OtlpStatus } from '../../api-types.ts';
import { Button, Segments } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { Copyable } from '../../ui/dialogs/dialogs.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { useMay } from '../../ui/permission/use-may.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { plural } from '../../ui/words/format.ts';
import { OverflowCard } from './overflow-card.tsx';
import { RefusalsCard } from './refusals-card.tsx';
import { SetAsideCard } from './set-aside-card.tsx';
import { CA_FILE, SENDERS, type Sender, TOKEN_PLACE, widenWords, writeSnippet } from './snippets.ts';
import { describeReceiving } from './telemetry-words.ts';
import { TokensCard } from './tokens-card.tsx';

/** While somebody waits for the first data, and else. */
const WAITING_MS = 2000;
const CALM_MS = 10_000;

const isWaiting = (status: OtlpStatus | undefined): boolean => !status || status.signals.every(({ last_at }) => last_at === null);

/** What comes in by OpenTelemetry: does it, from whom, and how does one send more? */
export function TelemetryIn() {
  const mayWrite = useMay('otlp.write');
  const [created, setCreated] = useState<string>();
  const status = useQuery({
    queryKey: ['otlp.status'],
    queryFn: ({ signal }) => ask('otlp.status', {}, signal),
    refetchInterval: (query) => (isWaiting(query.state.data) ? WAITING_MS : CALM_MS),
  });
  if (status.isError && !status.data) return <Failure error={status.error} retry={() => void status.refetch()} />;
  const { data } = status;
  return (
    <>
      <header className="pagehead">
        <div>
          <h1 aria-live="polite">{data ? describeReceiving(data) : <Ghost width={360} says="OpenTelemetry, loading" />}</h1>
          <p className="soft">
            {data ? `${plural(data.valid_tokens, 'valid token')}.` : ''}{' '}
            {data && data.unknown_tokens.count > 0
              ? `${plural(data.unknown_tokens.count, 'request')} came with an unknown token.`
              : ''}
          </p>
        </div>
      </header>
      {data ? <ReceiverCard status={data} /> : null}
      <OverflowCard />
      <TokensCard mayWrite={mayWrite} onCreated={setCreated} />
      {data ? <SnippetCard status={data} token={created} /> : null}
      <SetAsideCard />
      <RefusalsCard />
    </>
  );
}

const NOUNS = { traces: 'span', logs: 'record', metrics: 'point' } as const;

function ReceiverCard({ status }: { status: OtlpStatus }) {
  return (
    <section className="card" aria-labelledby="receiver-h">
      <header>
        <h2 id="receiver-h">Receiver</h2>
        <span className="s mute">
          OpenTelemetry (OTLP), TLS only{status.client_certificates ? ', client certificates required' : ''}
        </span>
      </header>
      <dl className="receiver s">
        {status.listeners.map(({ transport, address }) => (
          <div key={transport}>
            <dt>{transport === 'grpc' ? 'gRPC' : 'HTTPS'}</dt>
            <dd className="mono">{address ?? 'off'}</dd>
          </div>
        ))}
        {status.signals.map(({ signal, last_at, items }) => (
          <div key={signal}>
            <dt className="cap">{signal}</dt>
            <dd>
              {last_at ? (
                <span className="v">
                  <Icon name="ok" size={14} />
                  <span>
                    {plural(items, NOUNS[signal])}, last <Time at={last_at} show="ago" /> ago
                  </span>
                </span>
              ) : (
                <span className="v mute">
                  <Icon name="pending" size={14} />
                  waiting for first data
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {status.listeners.every(({ address }) => address === null) ? (
        <p className="note off">Set SVC_OTLP_GRPC_ADDR or SVC_OTLP_HTTP_ADDR and restart the server; npm start sets both.</p>
      ) : null}
    </section>
  );
}

function SnippetCard({ status, token }: { status: OtlpStatus; token: string | undefined }) {
  const [sender, setSender] = useState<Sender>('Collector');
  const at = (transport: 'grpc' | 'http'): string | null =>
    status.listeners.find((listener) => listener.transport === transport)?.address ?? null;
  const receiver = { grpc: at('grpc'), http: at('http'), ownAuthority: status.ca !== null };
  if (!receiver.grpc && !receiver.http) return null;
  const widen = widenWords(receiver);
  const { place, text, note } = writeSnippet(sender, receiver, token ?? TOKEN_PLACE);
  return (
    <section className="card" aria-labelledby="send-h">
      <header>
        <h2 id="send-h">Send from</h2>
        <span className="s mute">{token ? 'with the token you just created' : `replace ${TOKEN_PLACE} with a token`}</span>
      </header>
      <div className="body">
        <div className="senders">
          <Segments
            label="Kind of sender"
            options={SENDERS.map((value) => ({ value, label: value }))}
            value={sender}
            onChange={setSender}
          />
          {status.ca ? <CaButton pem={status.ca} /> : null}
        </div>
        <div>
          <p className="s soft">
            {place}
            {status.ca ? `, with ${CA_FILE} next to it: this server’s certificate comes from its own authority` : ''}.
          </p>
          {widen ? <p className="note s">{widen}</p> : null}
          <Copyable text={text} />
          {note ? <p className="s mute">{note}</p> : null}
        </div>
      </div>
    </section>
  );
}

/** The authority as a file, which a browser saves without asking the server again. */
function CaButton({ pem }: { pem: string }) {
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([pem], { type: 'application/x-pem-file' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: CA_FILE });
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Button icon="download" onClick={save}>
      {CA_FILE}
    </Button>
  );
}
