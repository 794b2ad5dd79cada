import type { RunView } from '@svc/contracts/tests/views';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../../api.ts';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { formatMoment, formatMs } from '../../../ui/words/format.ts';
import { AssertionList } from './assertions-card.tsx';
import { figureWords } from './figure-words.ts';

/** One run never changes: it is asked for once. */
export const runQuery = (testId: string, resultId: string) => ({
  queryKey: ['tests.run', testId, resultId],
  queryFn: ({ signal }: { signal: AbortSignal }) => ask('tests.run', { id: testId, result_id: resultId }, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** What a run left behind: assertions, figures and the evidence of what was answered. */
export function RunDetails({ testId, resultId }: { testId: string; resultId: string }) {
  const run = useQuery(runQuery(testId, resultId));
  if (run.isError && !run.data) return <Failure error={run.error} retry={() => void run.refetch()} />;
  if (!run.data) return <Ghost width={420} says="Details of the run, loading" />;
  return <Details view={run.data} />;
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="runpart">
      <h3 className="s med">{title}</h3>
      {children}
    </section>
  );
}

const Text = ({ label, text }: { label: string; text: string }) => (
  <ScrollX label={label}>
    <pre className="runtext lines">{text}</pre>
  </ScrollX>
);

function Details({ view }: { view: RunView }) {
  const { run, assertions, address, figures, screenshot_url: shot, certificate } = view;
  const facts = [...(address ? [['Dialled', address] as const] : []), ...figureWords(figures)];
  return (
    <div className="rundetails">
      {run.error ? <p className={run.success ? 'soft' : 'err'}>{run.error}</p> : null}
      {assertions.length > 0 ? (
        <Part title="Assertions">
          <AssertionList assertions={assertions} />
        </Part>
      ) : null}
      {facts.length > 0 ? (
        <Part title="Figures">
          <dl className="kvpairs">
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="num">{value}</dd>
              </div>
            ))}
          </dl>
        </Part>
      ) : null}
      {certificate?.fault ? <Part title="Certificate">{certificate.fault}</Part> : null}
      <EvidenceParts view={view} />
      {shot ? (
        <Part title="What the browser saw">
          <a href={shot} target="_blank" rel="noreferrer" className="shot">
            <img
              src={shot}
              alt={`The page at the end of the run of ${formatMoment(run.started_at, Date.now())}`}
              loading="lazy"
            />
          </a>
        </Part>
      ) : null}
    </div>
  );
}

const hopLine = ({ hop, address, rtt_ms }: { hop: number; address?: string | undefined; rtt_ms?: number | undefined }): string =>
  `${String(hop).padStart(2)}  ${address ?? 'no answer'}${rtt_ms === undefined ? '' : `  ${formatMs(rtt_ms)}`}`;

function EvidenceParts({ view: { evidence, run } }: { view: RunView }) {
  if (!evidence) {
    return (
      <p className="mute s">{run.has_evidence ? 'Its evidence is past its 30 days.' : 'No evidence was kept of this run.'}</p>
    );
  }
  const { response_head, body_excerpt, dns_answer, redirects, path, steps, failed_requests, console_errors } = evidence;
  return (
    <>
      {steps?.length ? (
        <Part title="Steps">
          <ul className="checklist">
            {steps.map(({ step, label, ms, passed, error }) => (
              <li key={step} className={passed ? undefined : 'bad'}>
                <span className="num mute">{step}</span>
                <span>
                  {label}
                  {error ? <span className="err">: {error}</span> : null}
                </span>
                <span className="end num">{formatMs(ms)}</span>
              </li>
            ))}
          </ul>
        </Part>
      ) : null}
      {response_head ? (
        <Part title="Response head">
          <Text label="Response head" text={response_head} />
        </Part>
      ) : null}
      {body_excerpt ? (
        <Part title="Body, excerpt">
          <Text label="Body, excerpt" text={body_excerpt} />
        </Part>
      ) : null}
      {dns_answer ? (
        <Part title="Answer of the resolver">
          <Text label="Answer of the resolver" text={dns_answer} />
        </Part>
      ) : null}
      {redirects?.length ? (
        <Part title="Redirects">
          <Text label="Redirects" text={redirects.join('\n')} />
        </Part>
      ) : null}
      {path?.length ? (
        <Part title="Path">
          <Text label="Path" text={path.map(hopLine).join('\n')} />
        </Part>
      ) : null}
      {failed_requests?.length ? (
        <Part title="Failed requests">
          <Text label="Failed requests" text={failed_requests.map(({ url, error }) => `${error}  ${url}`).join('\n')} />
        </Part>
      ) : null}
      {console_errors?.length ? (
        <Part title="Errors in the page’s console">
          <Text label="Errors in the page’s console" text={console_errors.join('\n')} />
        </Part>
      ) : null}
    </>
  );
}
