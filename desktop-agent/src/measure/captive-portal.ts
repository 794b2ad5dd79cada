import { certificateFlaw } from '@svc/contracts/session-failure';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import { capturedBy } from '@svc/probes/resolver-lies';
import type { SessionMeasurement } from '@svc/probes/session';

/** Judges from sessions that somebody chose, and from this network's resolvers: nobody else is asked whether the way is free. */
export interface CaptivePortal {
  note(session: SessionMeasurement): void;
  /** Another network: what sessions and resolvers found in the former one says nothing about it. */
  forget(): void;
  noteResolvers(resolvers: readonly ResolverMeasurement[]): void;
  /** Null while no session was measured lately. */
  isSuspected(): boolean | null;
}

/** RFC 6585: Network Authentication Required. */
const SIGN_IN_REQUIRED = 511;

/** A host that answers plain http itself is reached; then the wrong name on its certificate is its own. */
const isHint = (session: SessionMeasurement): boolean =>
  session.ledAway === true ||
  session.status === SIGN_IN_REQUIRED ||
  (certificateFlaw(session.error) === 'name' && session.plainHttp !== 'own_answer');
/** A certificate that holds was not made by a network's sign-in page. */
const provesAccess = (session: SessionMeasurement): boolean =>
  session.success && session.url.startsWith('https:') && !isHint(session);

/** Sessions older than `keptMs` say nothing any more. */
export function createCaptivePortal(steady: () => number, keptMs: () => number): CaptivePortal {
  const newest = new Map<string, { session: SessionMeasurement; atMs: number }>();
  let capturedMs = Number.NEGATIVE_INFINITY;
  return {
    note(session) {
      newest.set(session.url, { session, atMs: steady() });
    },
    forget() {
      newest.clear();
      capturedMs = Number.NEGATIVE_INFINITY;
    },
    noteResolvers(resolvers) {
      capturedMs = resolvers.some((one) => capturedBy(one) !== undefined) ? steady() : Number.NEGATIVE_INFINITY;
    },
    isSuspected() {
      for (const [url, { atMs }] of newest) if (steady() - atMs > keptMs()) newest.delete(url);
      const sessions = [...newest.values()].map((one) => one.session);
      if (sessions.length === 0) return null;
      const isCaptured = steady() - capturedMs <= keptMs();
      return (isCaptured || sessions.some(isHint)) && !sessions.some(provesAccess);
    },
  };
}
