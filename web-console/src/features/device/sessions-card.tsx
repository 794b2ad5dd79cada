import type { DeviceView } from '@svc/contracts/endpoint-view';
import { formatClock, formatMs } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { ScrollX } from '../../ui/scroll-x.tsx';
import { shortTarget, targetHost } from '../../ui/targets.ts';
import { valueTicks } from '../../ui/time-ticks.ts';

type Session = DeviceView['sessions'][number];

const PHASES = [
  { key: 'dns_ms', name: 'DNS', token: '--p-dns' },
  { key: 'connect_ms', name: 'Connect', token: '--p-connect' },
  { key: 'tls_ms', name: 'TLS', token: '--p-tls' },
  { key: 'ttfb_ms', name: 'First byte', token: '--p-ttfb' },
] as const;

const PHASE_WORDS: Readonly<Record<string, string>> = { dns: 'DNS', connect: 'connect', tls: 'TLS', ttfb: 'first byte' };

/** The bar's full length in milliseconds: a round number that holds every session and its usual total. */
export function sessionScale(sessions: readonly Session[]): number {
  const most = Math.max(
    100,
    ...sessions.flatMap((session) => [session.total_ms ?? 0, session.usual_ms ?? 0, sumPhases(session)]),
  );
  return valueTicks(0, most).at(-1) ?? most;
}

const sumPhases = (session: Session): number => PHASES.reduce((sum, phase) => sum + (session[phase.key] ?? 0), 0);

function Bar({ session, scale }: { session: Session; scale: number }) {
  return (
    <div className="sb" aria-hidden="true">
      {PHASES.map((phase) => {
        const value = session[phase.key];
        return value ? (
          <i key={phase.key} style={{ width: `${(100 * value) / scale}%`, background: `var(${phase.token})` }} />
        ) : null;
      })}
      {session.usual_ms === null ? null : <u style={{ left: `${(100 * session.usual_ms) / scale}%` }} />}
    </div>
  );
}

function Total({ session }: { session: Session }) {
  if (session.success && session.total_ms !== null) return <b>{formatMs(session.total_ms)}</b>;
  const phase = session.error_phase ? (PHASE_WORDS[session.error_phase] ?? session.error_phase) : undefined;
  return (
    <span className="failed" title={session.error ?? undefined}>
      <Icon name="warning" size={12} />
      failed{phase ? ` at ${phase}` : ''}
    </span>
  );
}

/** Cold connections to what was chosen, each taken apart into its phases, with the usual total as a tick. */
export function SessionsCard({ sessions }: { sessions: readonly Session[] }) {
  const scale = sessionScale(sessions);
  const newest = sessions
    .map((session) => session.measured_at)
    .toSorted()
    .at(-1);
  return (
    <section className="card sess" aria-labelledby="sess-h">
      <header>
        <h2 id="sess-h">Sessions</h2>
        <span className="s mute">{newest ? `${formatClock(newest)}, cold test connections, not anybody’s own traffic` : ''}</span>
        <span className="grow" />
        <span className="lgs">
          {PHASES.map((phase) => (
            <span key={phase.key} className="lg">
              <i style={{ background: `var(${phase.token})` }} />
              {phase.name}
            </span>
          ))}
          <span className="lg">
            <i className="us" />
            usual
          </span>
        </span>
      </header>
      {sessions.length === 0 ? (
        <p className="none soft s">No session was measured in this time. Targets are chosen under Settings.</p>
      ) : (
        <ScrollX label="Sessions">
          <table>
            <thead>
              <tr>
                <th scope="col">Service</th>
                <th scope="col" className="barcol">
                  0 to {formatMs(scale)}
                </th>
                {PHASES.map((phase) => (
                  <th key={phase.key} scope="col" className="n phase">
                    {phase.name}
                  </th>
                ))}
                <th scope="col" className="n">
                  Total
                </th>
                <th scope="col" className="n">
                  Usual
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => (
                <tr key={session.target}>
                  <td title={session.target}>
                    <span className="med">{shortTarget(session.target)}</span>{' '}
                    {targetHost(session.target) === shortTarget(session.target) ? null : (
                      <span className="mute xs host">{targetHost(session.target)}</span>
                    )}
                    {session.role === 'control_plane' ? <span className="tag">this server, never judged</span> : null}
                  </td>
                  <td className="barcol">
                    <Bar session={session} scale={scale} />
                  </td>
                  {PHASES.map((phase) => (
                    <td key={phase.key} className="n phase">
                      {session[phase.key] === null ? <span className="mute">none</span> : formatMs(session[phase.key] ?? 0)}
                    </td>
                  ))}
                  <td className="n">
                    <Total session={session} />
                  </td>
                  <td className="n mute">{session.usual_ms === null ? 'too few' : formatMs(session.usual_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
    </section>
  );
}
