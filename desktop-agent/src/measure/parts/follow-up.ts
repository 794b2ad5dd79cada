import type { FailureKind, SessionMeasurement } from '@svc/probes/session';
import type { ProbeSet, SessionOrder } from '../probe-set.ts';

/** A network that wants its sign-in page seen answers plain http at once. */
const PLAIN_TIMEOUT_MS = 3000;

/** Failures of HTTPS that a network without access causes too: it drops, refuses, or answers with a certificate of its own. */
const DOUBTED: ReadonlySet<FailureKind> = new Set([
  'certificate',
  'tls_closed',
  'tls_failed',
  'stalled',
  'refused',
  'connect_reset',
  'no_answer',
]);

const isDoubted = (session: SessionMeasurement): boolean =>
  session.url.startsWith('https:') && !session.viaProxy && !!session.failure && DOUBTED.has(session.failure);

/** Asks the same host by plain http, follows nothing, and so contacts nobody that was not chosen. */
async function askPlainly(probes: ProbeSet, session: SessionMeasurement, signal: AbortSignal): Promise<SessionMeasurement> {
  const { hostname } = new URL(session.url);
  const plain = await probes.measureSession({
    url: `http://${hostname}/`,
    maxRedirects: 0,
    timeoutMs: PLAIN_TIMEOUT_MS,
    signal,
  });
  if (plain.ledAway === true || plain.status === 511) return { ...session, ledAway: true, plainHttp: 'led_away' };
  const isAnswered = plain.status !== null || plain.failure === 'refused';
  return { ...session, plainHttp: isAnswered ? 'own_answer' : 'silent' };
}

/**
 * Small packets opened the connection; the first large ones are the server's certificates, or over plain http its answer. Once a
 * handshake went through, only a body is still larger.
 */
function isStalledByLargePackets({ stall, tlsMs }: SessionMeasurement): boolean {
  if (stall?.phase === 'tls' || stall?.phase === 'body') return true;
  return stall?.phase === 'request' && tlsMs === null;
}

async function lookAtMtu(probes: ProbeSet, session: SessionMeasurement, signal: AbortSignal): Promise<SessionMeasurement> {
  if (session.address === undefined || !isStalledByLargePackets(session)) return session;
  const reading = await probes.measurePathMtu({ address: session.address, signal });
  return 'value' in reading ? { ...session, pathMtu: reading.value } : session;
}

/** A session, and where it failed what else tells why. `isTarget`: somebody chose this host, so that it may be asked once more. */
export async function measureWithFollowUp(
  probes: ProbeSet,
  order: SessionOrder,
  { isTarget }: { isTarget: boolean },
): Promise<SessionMeasurement> {
  const session = await lookAtMtu(probes, await probes.measureSession(order), order.signal);
  return isTarget && isDoubted(session) ? await askPlainly(probes, session, order.signal) : session;
}
