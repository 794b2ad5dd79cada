import type { SessionMeasurement } from '@svc/probes/session';

/** Judges from sessions that somebody chose alone: nothing outside is asked whether the way there is free. */
export interface CaptivePortal {
  note(session: SessionMeasurement): void;
  /** Another network: what sessions found in the former one says nothing about it. */
  forget(): void;
  /** Null while no session was measured lately. */
  isSuspected(): boolean | null;
}

const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

const isHint = (session: SessionMeasurement): boolean => session.ledAway === true || session.error === WRONG_NAME;
/** A certificate that holds was not made by a network's sign-in page. */
const provesAccess = (session: SessionMeasurement): boolean =>
  session.success && session.url.startsWith('https:') && !isHint(session);

/** Sessions older than `keptMs` say nothing any more. */
export function createCaptivePortal(steady: () => number, keptMs: () => number): CaptivePortal {
  const newest = new Map<string, { session: SessionMeasurement; atMs: number }>();
  return {
    note(session) {
      newest.set(session.url, { session, atMs: steady() });
    },
    forget: () => newest.clear(),
    isSuspected() {
      for (const [url, { atMs }] of newest) if (steady() - atMs > keptMs()) newest.delete(url);
      const sessions = [...newest.values()].map((one) => one.session);
      if (sessions.length === 0) return null;
      return sessions.some(isHint) && !sessions.some(provesAccess);
    },
  };
}
