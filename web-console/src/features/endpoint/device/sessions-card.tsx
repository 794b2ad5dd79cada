import { phasesOf, SESSION_PHASES, USUAL_DAYS } from '@svc/contracts/endpoint/session-phases';
import type { DeviceView } from '@svc/contracts/endpoint/view';
import { valueTicks } from '../../../ui/charts/time-ticks.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { describeFailures, failedAt, PHASE_NAMES } from '../../../ui/devices/session-words.ts';
import { shortTarget, targetHost } from '../../../ui/devices/targets.ts';
import { ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { formatMoment, formatMs, formatSpan } from '../../../ui/words/format.ts';

type Session = DeviceView['sessions'][number];

/** The bar's full length in milliseconds: a round number that holds every session and its usual total. */
export function sessionScale(sessions: readonly Session[]): number {
  const most = Math.max(100, ...sessions.flatMap((session) => [sumPhases(session), session.usual_ms ?? 0]));
  return valueTicks(0, most).at(-1) ?? most;
}

/** The total, or what is known of it. */
const sumPhases = (session: Session): number => phasesOf(session).reduce((sum, { ms }) => sum + ms, 0);

function Bar({ session, scale }: { session: Session; scale: number }) {
  return (
    <div className="sb" aria-hidden="true">
      {phasesOf(session).map(({ phase, ms }) => (
        <i key={phase} className={`p-${phase}`} style={{ width: `${(100 * ms) / scale}%` }} />
      ))}
      {session.usual_ms === null ? null : <u style={{ left: `${(100 * session.usual_ms) / scale}%` }} />}
    </div>
  );
}

const OTHER_WORDS = 'What the other phases leave of the total: the body, or the phase in which the session failed';

const PhaseTime = ({ ms }: { ms: number | null }) => (ms === null ? <span className="mute">none</span> : formatMs(ms));

function Total({ session }: { session: Session }) {
  if (session.success && session.total_ms !== null) return <b>{formatMs(session.total_ms)}</b>;
  return (
    <span className="failed" title={session.error ?? undefined}>
      <Icon name="warning" size={12} />
      {`failed ${failedAt(session.error_phase)}`.trimEnd()}
    </span>
  );
}

/** Milliseconds of sessions that succeeded, or why there are none. */
const times = ({ window }: Session, ms: number | null): string => (ms === null ? (window.count > 0 ? 'none' : '') : formatMs(ms));

/** What the median stands for, in words. Of this device in the days before: not what is usual on one network, by which the device judges. */
export function describeMedian({ from, to, least }: DeviceView['usual']): string {
  const now = Date.now();
  const days = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
  return `The ${days}-day median is of the sessions that succeeded in the ${days} days before this time, ${formatSpan(from, to, now)}; fewer than ${least} are too few to say.`;
}

/** Cold connections to what was chosen: the last one taken apart into its phases, all of the time shown, and the usual total as a tick. */
export function SessionsCard({ sessions, usual }: { sessions: readonly Session[]; usual: DeviceView['usual'] }) {
  const scale = sessionScale(sessions);
  const newest = sessions
    .map((session) => session.measured_at)
    .toSorted()
    .at(-1);
  return (
    <section className="card sess" aria-labelledby="sess-h">
      <header>
        <h2 id="sess-h">Sessions</h2>
        <span className="s mute">
          {newest ? `last at ${formatMoment(newest, Date.now())}, cold test connections, not anybody’s own traffic` : ''}
        </span>
        <span className="grow" />
        <span className="lgs">
          {SESSION_PHASES.map((phase) => (
            <span key={phase} className="lg">
              <i className={`p-${phase}`} />
              {PHASE_NAMES[phase]}
            </span>
          ))}
          <span className="lg">
            <i className="us" />
            {USUAL_DAYS}-day median
          </span>
        </span>
      </header>
      {sessions.length === 0 ? (
        <p className="none soft s">No session was measured in this time. Targets are chosen under Settings.</p>
      ) : (
        <ScrollX label="Sessions">
          <table>
            <ColumnHeads
              columns={[
                'Service',
                { name: `0 to ${formatMs(scale)}`, className: 'barcol' },
                ...SESSION_PHASES.map((phase) =>
                  numeric(PHASE_NAMES[phase], { className: 'phase', title: phase === 'other' ? OTHER_WORDS : undefined }),
                ),
                numeric('Last total'),
                numeric('Median'),
                numeric('Worst'),
                numeric(`${USUAL_DAYS}-day median`),
              ]}
            />
            <tbody>
              {sessions.map((session) => (
                <tr key={session.target}>
                  <td title={session.target}>
                    <span className="med">{shortTarget(session.target)}</span>{' '}
                    {targetHost(session.target) === shortTarget(session.target) ? null : (
                      <span className="mute xs host">{targetHost(session.target)}</span>
                    )}
                    {session.role === 'control_plane' ? <span className="tag">this server, never judged</span> : null}
                    {session.window.failed > 0 ? (
                      <span className="xs failures">{describeFailures({ ...session.window, of: session.window.count })}</span>
                    ) : null}
                  </td>
                  <td className="barcol">
                    <Bar session={session} scale={scale} />
                  </td>
                  {SESSION_PHASES.map((phase) => (
                    <td key={phase} className="n phase">
                      <PhaseTime ms={session[`${phase}_ms`]} />
                    </td>
                  ))}
                  <td className="n">
                    <Total session={session} />
                  </td>
                  <td className="n">{times(session, session.window.median_ms)}</td>
                  <td className="n">{times(session, session.window.worst_ms)}</td>
                  <td className="n mute">{session.usual_ms === null ? 'too few to say' : formatMs(session.usual_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      {sessions.length === 0 ? null : <p className="xs mute usualnote">{describeMedian(usual)}</p>}
    </section>
  );
}
