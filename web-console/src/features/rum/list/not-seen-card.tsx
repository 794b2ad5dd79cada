import type { RumOverview } from '@svc/contracts/rum/views';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { formatCount, formatPercent } from '../../../ui/words/format.ts';
import { REASON_NAMES } from '../rum-words.ts';

type Rejects = RumOverview['rejects'];
type RejectRow = Rejects['items'][number];

interface NotSeenProps {
  rejects: Rejects;
  coverage: string;
  /** Refusals of this app alone, and of no app: only those that there were. */
  app?: string;
}

/** Who is invisible, and which beacons were refused: for what, of which app, and what to do about it. */
export function NotSeenCard({ rejects, coverage, app }: NotSeenProps) {
  const isOurs = (item: RejectRow): boolean => item.count > 0 && (item.app === null || item.app === app);
  const rows = rejects.items.filter((item) => app === undefined || isOurs(item)).toSorted((a, b) => b.count - a.count);
  return (
    <section className="card" aria-labelledby="notseen-h">
      <header>
        <h2 id="notseen-h">Not seen, and refused</h2>
        <span className="s mute">
          since <Time at={rejects.from} />, {app === undefined ? 'all apps' : app}
        </span>
      </header>
      <p className="note rum-coverage">{coverage}</p>
      {rejects.missing_share ? (
        <p className="note rum-coverage">
          <b>{formatPercent(rejects.missing_share)} of what was sent is missing:</b> it was over the rate. All figures lack these
          views.
        </p>
      ) : null}
      {rows.length === 0 ? <p className="s soft rum-unjudged">No beacon of this app was refused.</p> : <Refused rows={rows} />}
      {app === undefined && rejects.unknown_to_installation > 0 ? (
        <footer className="foot s soft">
          {formatCount(rejects.unknown_to_installation)} more came with a key that nobody here ever had. They count for the
          installation and for no tenant.
        </footer>
      ) : null}
    </section>
  );
}

function Refused({ rows }: { rows: readonly RejectRow[] }) {
  return (
    <ScrollX label="Refused beacons">
      <table className="rum-rejects">
        <ColumnHeads columns={[numeric('Beacons'), 'Refused because', 'App', 'What to do', 'Last', numeric('Answer')]} />
        <tbody>
          {rows.map((row) => (
            <RejectLine key={`${row.reason} ${row.app}`} row={row} />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function RejectLine({ row: { count, reason, status, app, fields, meaning, advice, last_at } }: { row: RejectRow }) {
  return (
    <tr>
      <td className="n">{count > 0 ? <b className="rum-hot">{formatCount(count)}</b> : <span className="mute">0</span>}</td>
      <td className="rum-meaning">
        {REASON_NAMES[reason]}
        <small>{meaning}</small>
        {fields.length > 0 ? (
          <small>
            {fields.map(({ field, count: times }) => (
              <span key={field} className="rum-field">
                <code>{field}</code> {formatCount(times)}
              </span>
            ))}
          </small>
        ) : null}
      </td>
      <td>{app ?? <span className="mute">no app</span>}</td>
      <td className="rum-meaning soft">{count > 0 ? advice : <span className="mute">nothing</span>}</td>
      <td>{last_at ? <Time at={last_at} /> : <span className="mute">never</span>}</td>
      <td className="n mute">{status}</td>
    </tr>
  );
}
