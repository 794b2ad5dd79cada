import { USUAL_DAYS } from '@svc/contracts/endpoint/session-phases';
import type { DeviceView } from '@svc/contracts/endpoint/view';
import { describeFailures, failedAt } from '../../../ui/devices/session-words.ts';
import { shortTarget } from '../../../ui/devices/targets.ts';
import { formatMs } from '../../../ui/words/format.ts';

type Session = DeviceView['sessions'][number];

const isSlower = (a: Session, b: Session): number => {
  if (a.success !== b.success) return a.success ? 1 : -1;
  return (b.total_ms ?? 0) - (a.total_ms ?? 0);
};

/** The session that the chain ends in: one that failed, else the slowest; the control plane's own is none. */
export const chainSession = (sessions: readonly Session[]): Session | undefined =>
  sessions.filter(({ role }) => role !== 'control_plane').toSorted(isSlower)[0];

/** How it went, and below that what the days before were like and what failed in the time shown. */
export function serviceWords(session: Session): { words: string; figures: string } {
  const name = shortTarget(session.target);
  const { window } = session;
  const failures = describeFailures({ failed: window.failed, of: window.count, phases: window.phases });
  const median = session.usual_ms === null ? '' : `${USUAL_DAYS}-day median ${formatMs(session.usual_ms)}`;
  const went =
    session.success && session.total_ms !== null
      ? `in ${formatMs(session.total_ms)}`
      : `failed ${failedAt(session.error_phase)}`.trimEnd();
  return { words: `${name} ${went}`, figures: [failures, median].filter(Boolean).join(', ') };
}
