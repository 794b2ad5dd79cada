import { RUM_THRESHOLDS } from '@svc/contracts/rum/kinds';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { ToldSentence } from '../../../ui/moments/told-sentence.tsx';
import { formatCount, formatDuration, plural } from '../../../ui/words/format.ts';
import type { RumApp, RumRow } from '../rum-queries.ts';
import { rowState } from '../rum-words.ts';

interface WaitingProps {
  app: RumApp;
  endpoint: string;
  rows: readonly RumRow[] | undefined;
}

/** Live while the first beacon is awaited; then where its figures are. */
export function WaitingCard({ app, endpoint, rows }: WaitingProps) {
  const now = useNow(1000);
  const isSeen = app.first_beacon_at !== null;
  const waited = now - Date.parse(app.created_at);
  return (
    <section className="card" aria-live="polite" aria-label="Progress of the first beacon">
      <header>
        <h2>{isSeen ? 'The first beacon is here' : 'Waiting for the first beacon'}</h2>
        <span className="grow" />
        {isSeen ? null : (
          <span className="s mute num" aria-live="off">
            {waited < 60_000 ? `${Math.max(0, Math.floor(waited / 1000))} s` : formatDuration(waited)}
          </span>
        )}
      </header>
      <Ladder app={app} endpoint={endpoint} rows={rows} />
      {isSeen ? <Hosts rows={rows} /> : <StillNothing app={app} />}
    </section>
  );
}

interface LineProps {
  state: 'done' | 'now' | 'later';
  children: ReactNode;
  end?: ReactNode;
}

const LINE_ICONS = { done: 'check', now: 'pending', later: 'dash' } as const;

const Line = ({ state, children, end }: LineProps) => (
  <li className={`rum-at-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
    <Icon name={LINE_ICONS[state]} size={14} />
    <span>{children}</span>
    <span className="mute num">{end}</span>
  </li>
);

function Ladder({ app, endpoint, rows }: WaitingProps) {
  const { first_beacon_at, script_fetches } = app;
  const fetched = script_fetches?.count ?? 0;
  const judged = rows?.some(({ state, verdict }) => state === 'judged' || verdict !== 'healthy') ?? false;
  const { views, windowMinutes } = RUM_THRESHOLDS;
  return (
    <ul className="rum-ladder">
      <Line state="done" end={<Time at={app.created_at} />}>
        Listening at <span className="mono">{new URL(endpoint).pathname}</span>
      </Line>
      {script_fetches ? (
        <Line
          state={fetched > 0 || first_beacon_at ? 'done' : 'now'}
          end={
            script_fetches.last_at ? (
              <>
                last <Time at={script_fetches.last_at} show="second" />
              </>
            ) : null
          }
        >
          {fetched > 0 ? (
            <>
              Script fetched <b>{fetched === 1 ? 'once' : `${formatCount(fetched)} times`}</b>
            </>
          ) : first_beacon_at ? (
            'Script served from elsewhere'
          ) : (
            'Script not fetched yet'
          )}
        </Line>
      ) : null}
      <Line
        state={first_beacon_at ? 'done' : fetched > 0 || !script_fetches ? 'now' : 'later'}
        end={first_beacon_at ? <Time at={first_beacon_at} show="second" /> : null}
      >
        <b>First beacon</b>
        {first_beacon_at ? null : <small>none yet for this key</small>}
      </Line>
      <Line state={first_beacon_at ? 'done' : 'later'} end={first_beacon_at ? null : 'with the first beacon'}>
        First figures
      </Line>
      <Line
        state={judged ? 'done' : first_beacon_at ? 'now' : 'later'}
        end={judged ? null : `from ${views} views in ${windowMinutes} min`}
      >
        First verdict
      </Line>
    </ul>
  );
}

/** A drawing and no skeleton: nothing is on its way. */
const ROW_BARS = [88, 120, 36, 48];

/** What stops a beacon, the refused one first. */
function StillNothing({ app: { last_refusal, hosts } }: { app: RumApp }) {
  return (
    <>
      <div className="rum-still">
        <b>Still nothing?</b>
        <ul>
          {last_refusal ? (
            <li>
              <Icon name="failed" size={14} />
              <span>
                <b>A beacon was refused</b> at <Time at={last_refusal.at} show="second" />:{' '}
                <ToldSentence text={last_refusal.sentence} />
              </span>
            </li>
          ) : null}
          <li>
            <Icon name="lock" size={14} />
            <span>Was consent given? Without it the script stays silent.</span>
          </li>
          <li>
            <Icon name="eyeOff" size={14} />
            <span>
              Does this browser send Do Not Track or Global Privacy Control, or does a program drive it? Then it never starts.
            </span>
          </li>
          {hosts.length > 0 ? (
            <li>
              <Icon name="network" size={14} />
              <span>Is the page at {hosts.length === 1 ? hosts[0] : 'one of the named hosts'}? Others are refused.</span>
            </li>
          ) : null}
        </ul>
      </div>
      <div className="rum-rowto">
        <p className="xs mute">The row you will see</p>
        <div className="row">
          {ROW_BARS.map((width) => (
            <i key={width} className="rum-bar" style={{ width }} />
          ))}
        </div>
      </div>
    </>
  );
}

function Hosts({ rows }: { rows: readonly RumRow[] | undefined }) {
  const seen = rows?.filter(({ host }) => host !== null) ?? [];
  if (seen.length === 0) return null;
  return (
    <ul className="rum-hosts">
      {seen.map((row) => (
        <li key={row.host}>
          <Icon name={rowState(row).icon} size={14} />
          <span>
            <Link to="/rum/$app/$host" params={{ app: row.app, host: row.host ?? '' }}>
              {row.host}
            </Link>
            <small>
              {rowState(row).word}, {plural(row.views, 'view')} in {RUM_THRESHOLDS.windowMinutes} min
            </small>
          </span>
        </li>
      ))}
    </ul>
  );
}
