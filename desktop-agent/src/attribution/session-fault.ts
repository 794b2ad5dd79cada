import type { FaultKind } from '@svc/contracts/fault-kinds';
import { type FaultFact, faultFact } from '@svc/contracts/judged/fault';
import { certificateFlaw, type FailureKind, failureKindOf, isOfThisDevice, isSilence } from '@svc/contracts/session-failure';
import type { Thresholds } from '@svc/contracts/verdict';
import { beyondFault } from './beyond-fault.ts';
import type { Found } from './found.ts';
import { BEYOND_DELAY_MS, delayLimit, PHASES, type Phase, phaseLimit } from './limits.ts';
import { beyondOf, isHostLossy, sessionLimit, traceOf } from './network-layer.ts';
import { isMeasured, type Phases, type Readings, type SessionReading } from './readings.ts';
import { medianLow } from './series.ts';

/** The network itself asks for a sign-in (RFC 6585). */
const SIGN_IN_STATUS = 'HTTP_511';
const OF_PROXY: readonly (FailureKind | undefined)[] = [
  'proxy_unreachable',
  'proxy_authentication',
  'proxy_refused',
  'proxy_unsupported',
];

/** What failed; undefined where nothing did. */
const failureOf = ({ failure, viaProxy = false }: SessionReading): FailureKind | undefined =>
  failure && failureKindOf({ ...failure, viaProxy });

const make = (session: SessionReading, kind: FaultKind, part: Partial<FaultFact> & { sureness: number }): Found => {
  const { sureness, ...rest } = part;
  return { fault: faultFact({ kind, target: session.target, ...rest }), sureness };
};

const targets = (readings: Readings): SessionReading[] => readings.sessions.filter((one) => one.role === 'target');
/** A certificate that holds was not made by a network's sign-in page. */
const provesAccess = (one: SessionReading): boolean => one.success && one.isSecure === true && one.ledAway !== true;

const isWrongName = ({ failure }: SessionReading): boolean => certificateFlaw(failure?.code ?? null) === 'name';
const isCaptured = (readings: Readings): boolean => readings.resolvers?.some((one) => one.captures) ?? false;
const answersAll = (readings: Readings): boolean => readings.resolvers?.some((one) => one.lies === 'wildcard') ?? false;

/** Sign-in pages lead plain requests away, answer every name, or stand in for every service with a certificate of their own. */
function captivePortal(session: SessionReading, readings: Readings): Found | undefined {
  if (readings.sessions.some(provesAccess)) return undefined;
  const { code } = session.failure ?? {};
  if (session.ledAway || code === SIGN_IN_STATUS) return make(session, 'captive_portal', { sureness: 0.9 });
  if (readings.sessions.some((one) => one.ledAway === true)) return make(session, 'captive_portal', { sureness: 0.85 });
  const wrongNames = targets(readings).filter((one) => isWrongName(one)).length;
  if (wrongNames > 0 && (isCaptured(readings) || answersAll(readings))) return make(session, 'captive_portal', { sureness: 0.8 });
  // An address that answers for every name, if only by plain http, is somebody's page.
  if (isCaptured(readings) && session.plainHttp === 'own_answer') return make(session, 'captive_portal', { sureness: 0.7 });
  return wrongNames > 1 && wrongNames === targets(readings).length
    ? make(session, 'captive_portal', { sureness: 0.6 })
    : undefined;
}

/** A name server that is wrong about one name, as of a split DNS or a filter, is no reason where other services are found and answer. */
const lies = (readings: Readings): boolean =>
  !someAnswers(readings) && (readings.resolvers?.some((one) => one.lies !== undefined || one.captures === true) ?? false);

/** Whatever was asked was not answered: what goes on behind the gateway cannot be told from a name server that is down. */
const isAllSilent = (readings: Readings): boolean =>
  !readings.egressProven && (readings.resolvers ?? []).every((one) => !one.answered && one.code === undefined);

function nameFault(session: SessionReading, readings: Readings, t: Thresholds): Found {
  const code = session.failure?.code ?? null;
  const asked = readings.resolvers ?? [];
  if (readings.vpn) return make(session, 'vpn', { code, sureness: 0.55 });
  if (isAllSilent(readings) && !isPathVisible(readings)) return make(session, 'service_unreachable', { code, sureness: 0.4 });
  // Others are found by the same servers: it is this name that is gone, or known elsewhere only.
  if (code === 'ENOTFOUND' && someAnswers(readings)) return make(session, 'service_unreachable', { code, sureness: 0.6 });
  const lost = wayFault(session, readings, t);
  // The question gets lost like everything else; a server that says no was reached.
  if (lost?.fault.kind === 'path_loss' && code === 'EAI_AGAIN') return { ...lost, sureness: Math.min(lost.sureness, 0.7) };
  const isConfirmed = asked.some((one) => !one.answered || (one.code !== undefined && one.code !== 'NOERROR'));
  const kind = asked.some((one) => one.lies === 'nxdomain') && asked.length > 1 ? 'dns_lying' : 'dns_failing';
  return make(session, kind, { code, sureness: isConfirmed ? 0.9 : 0.8 });
}

const isPathVisible = (readings: Readings): boolean => isMeasured(readings.path) && readings.path.visible;

const OTHER_WAY_AT_MOST = 0.6;

/** What the traces show on the way to a session, or on the way of all of them. */
function wayFault(session: SessionReading, readings: Readings, t: Thresholds): Found | undefined {
  const trace = traceOf(session, readings);
  const found = beyondFault(readings, t, { isSlow: true, ...(trace ? { trace } : {}) });
  if (!found) return undefined;
  // The way to somewhere else may be another one.
  const sureness = trace ? found.sureness : Math.min(found.sureness, OTHER_WAY_AT_MOST);
  return { sureness, fault: { ...found.fault, target: session.target } };
}

/** No connection at all: lost on the way, swallowed by a VPN, or not accepted by the service. */
function connectFault(session: SessionReading, readings: Readings, t: Thresholds): Found {
  const code = session.failure?.code ?? null;
  if (lies(readings)) return make(session, 'dns_lying', { code, sureness: 0.7 });
  if (code === null || !isSilence(code)) return make(session, 'service_unreachable', { code, sureness: 0.9 });
  if (readings.vpn) return make(session, 'vpn', { code, sureness: 0.55 });
  const lost = wayFault(session, readings, t);
  if (lost?.fault.kind === 'path_loss') return lost;
  const trace = traceOf(session, readings);
  const ended = trace ?? (beyondOf(readings).length === 1 ? beyondOf(readings)[0] : undefined);
  const silent = targets(readings).filter((one) => one.failure && isSilence(one.failure.code)).length;
  // One target that is silent may be itself at fault; where none answers and every trace ends, the way is.
  if (ended?.endsAt !== undefined && silent > 1 && silent === targets(readings).length)
    return make(session, 'path_loss', { code, value: 1, hop: Math.min(64, ended.endsAt + 1), hops: ended.hops, sureness: 0.7 });
  return make(session, 'service_unreachable', { code, sureness: trace?.reached || someAnswers(readings) ? 0.85 : 0.6 });
}

const someAnswers = (readings: Readings): boolean => targets(readings).some((one) => one.success);

/** It stood, and then no more came: packets too large for the way, a lossy way, or a service that stopped. */
function stalled(session: SessionReading, readings: Readings, t: Thresholds): Found {
  const code = session.failure?.code ?? null;
  if (session.largeLost) return make(session, 'mtu', { code, sureness: 0.9 });
  const lost = wayFault(session, readings, t);
  if (lost?.fault.kind === 'path_loss') return { ...lost, sureness: 0.6 };
  const phase = session.failure?.phase;
  // A handshake is the first that needs large packets; a service that hangs there is rarer than a path that drops them.
  if (phase === 'tls' && session.largeLost === undefined) return make(session, 'mtu', { code, sureness: 0.5 });
  if (phase === 'tls') return make(session, 'service_error', { code, sureness: 0.65 });
  return make(session, 'service_slow', { code, value: session.totalMs ?? null, sureness: 0.7 });
}

function failureFault(session: SessionReading, readings: Readings, t: Thresholds): Found {
  const { phase, code = '' } = session.failure ?? {};
  const kind = failureOf(session);
  if (phase === 'dns' && kind === 'proxy_unreachable') return make(session, 'proxy', { code, sureness: 0.8 });
  if (kind === 'certificate' && !isStandIn(code))
    return make(session, 'certificate', { code, sureness: certificateSureness(code, readings) });
  const portal = captivePortal(session, readings);
  if (portal) return portal;
  if (phase === 'dns') return nameFault(session, readings, t);
  if (OF_PROXY.includes(kind)) return make(session, 'proxy', { code, sureness: phase === 'connect' ? 0.8 : 0.95 });
  if (kind === 'certificate') {
    if (isWrongName(session) && lies(readings)) return make(session, 'dns_lying', { code, sureness: 0.8 });
    return make(session, 'certificate', { code, sureness: isWrongName(session) ? 0.85 : certificateSureness(code, readings) });
  }
  if (kind === 'http_status') return make(session, 'service_error', { code, sureness: 0.95 });
  if (phase === 'connect') return connectFault(session, readings, t);
  if (kind === 'stalled') return stalled(session, readings, t);
  return make(session, 'service_error', { code, sureness: 0.85 });
}

/** The phase that takes most beyond what is normal for it; undefined where every phase is as quick as it should be. */
function slowPhase({
  phases = {},
  usual = {},
}: SessionReading): { phase: Phase; value: number; usual: number | null } | undefined {
  const normal = (phase: Phase): number => usual[phase] ?? 0;
  const beyond = (phase: keyof Phases): number => (phases[phase] ?? 0) - normal(phase);
  const [worst] = PHASES.filter((phase) => (phases[phase] ?? 0) >= phaseLimit(phase, usual[phase])).toSorted(
    (a, b) => beyond(b) - beyond(a),
  );
  return worst && { phase: worst, value: phases[worst] ?? 0, usual: usual[worst] ?? null };
}

/** Where the whole is slow and no phase breaks its own limit: the one that takes most of it, as far as that is more than usual. */
function longestPhase(session: SessionReading): ReturnType<typeof slowPhase> {
  const { phases = {}, usual = {} } = session;
  const phase = PHASES.find((one) => (phases[one] ?? 0) * 2 >= total(session) && isUnusual(phases[one], usual[one]));
  return phase && { phase, value: phases[phase] ?? 0, usual: usual[phase] ?? null };
}

const UNUSUAL_FACTOR = 1.5;
const isUnusual = (value = 0, usual?: number): boolean => value > 0 && (usual === undefined || value >= usual * UNUSUAL_FACTOR);

const total = ({ totalMs = 0 }: SessionReading): number => totalMs;

/** Name servers that answer quickly when asked by themselves, or as slowly as everything on the way: then it is the way. */
export function isOfTheWay(readings: Readings, way: Found, dnsMs: number): boolean {
  const rtts = (readings.resolvers ?? []).flatMap((one) => one.rttMs ?? []);
  if (way.fault.kind === 'path_loss') return rtts.some((rtt) => rtt < dnsMs / 2);
  return dnsMs <= (way.fault.value ?? 0) * WAY_SHARE;
}

/** A name takes one round trip to its server, two where it is asked for in both families one after the other. */
const WAY_SHARE = 2.5;

/** Slow though it succeeded: the phase that waits, and what the path shows, tell why. */
function slowFault(session: SessionReading, readings: Readings, t: Thresholds): Found {
  if (session.ledAway && !readings.sessions.some(provesAccess)) return make(session, 'captive_portal', { sureness: 0.8 });
  const slow = slowPhase(session) ?? longestPhase(session);
  const share = slow && total(session) > 0 ? slow.value / total(session) : 0;
  const way = wayFault(session, readings, t);
  if (slow?.phase === 'dns' && !readings.vpn && !(way && isOfTheWay(readings, way, slow.value)))
    return make(session, 'dns_slow', { value: slow.value, usual: slow.usual, sureness: 0.6 + 0.35 * share });
  if (readings.vpn && slow?.phase !== 'ttfb') return make(session, 'vpn', { value: total(session), sureness: 0.55 });
  // It stands at once, and then waits: that is no lossy way of somebody else's.
  const isService = slow?.phase === 'ttfb' && (session.phases?.connect ?? 0) < QUICK_CONNECT_MS && !traceOf(session, readings);
  const far = distance(session, readings, t);
  if (far && !way) return far;
  const family = brokenIpv6(readings);
  if (family && slow?.phase === 'connect' && (family.fault.value ?? 0) * 2 >= slow.value) return family;
  const isOfWay = !isService && (way?.fault.kind === 'path_loss' || (way !== undefined && slow?.phase !== 'ttfb'));
  if (way && (isOfWay || isHostLossy(session, readings, t))) return way;
  if (session.viaProxy && slow && slow.phase !== 'ttfb') return make(session, 'proxy', { value: slow.value, sureness: 0.6 });
  const sureness = slow?.phase === 'ttfb' && isPathVisible(readings) ? 0.65 + 0.3 * share : 0.55;
  return make(session, 'service_slow', { value: total(session), usual: session.usual?.total ?? null, sureness });
}

/** Nothing is slow as a whole, and yet looking up names takes far longer than it should: undefined where it does not. */
export function slowNames(readings: Readings): Found | undefined {
  const found = targets(readings).flatMap((session) => {
    const slow = slowPhase(session);
    return session.success && slow?.phase === 'dns' ? [{ session, slow }] : [];
  });
  const [worst] = found.toSorted((a, b) => b.slow.value - a.slow.value);
  return worst && make(worst.session, 'dns_slow', { value: worst.slow.value, usual: worst.slow.usual, sureness: 0.6 });
}

/** Waiting this long for IPv6 is felt with each connection; ten round trips open a page, whatever the distance. */
const FALLBACK_MS = 200;
const ROUND_TRIPS = 10;

/** IPv6 is there and leads nowhere: everything connects over IPv4 after it was waited for. Undefined where IPv6 works for anybody. */
export function brokenIpv6(readings: Readings): Found | undefined {
  const direct = targets(readings).filter((one) => one.success && !one.viaProxy);
  const waiting = direct.filter(({ fallbackMs = 0 }) => fallbackMs >= FALLBACK_MS);
  if (waiting.length === 0 || direct.some((one) => one.overIpv6)) return undefined;
  const value = medianLow(waiting.map(({ fallbackMs = 0 }) => fallbackMs)) ?? 0;
  return { fault: faultFact({ kind: 'ipv6_broken', value }), sureness: 0.7 };
}

/** As far away as on other days, with nothing lost and no phase longer than round trips make it: nobody's fault. */
function distance(session: SessionReading, readings: Readings, t: Thresholds): Found | undefined {
  const trace = traceOf(session, readings);
  const { rttMs = 0, usualMs } = trace?.delayAt ?? {};
  if (!trace?.reached || usualMs === undefined || rttMs < BEYOND_DELAY_MS || rttMs >= delayLimit(BEYOND_DELAY_MS, usualMs))
    return undefined;
  if (isHostLossy(session, readings, t) || total(session) > rttMs * ROUND_TRIPS) return undefined;
  const isOfRoundTrips = PHASES.every((phase) => (session.phases?.[phase] ?? 0) <= rttMs * ROUND_TRIPS_A_PHASE);
  return isOfRoundTrips ? make(session, 'distance', { value: rttMs, usual: usualMs, sureness: 0.7 }) : undefined;
}

/** Of a handshake in two steps, or a name asked for twice. */
const ROUND_TRIPS_A_PHASE = 3;

/** Of what a session may take as a whole: beyond this it only just keeps its limit. */
const ALMOST = 0.8;
const ALMOST_AT_MOST = 0.6;

/** No session is slow, and yet one keeps its limit only just, for one phase that takes most of it and is slow by itself. */
export function almostSlow(readings: Readings, t: Thresholds): Found | undefined {
  const found = targets(readings).flatMap((session) => {
    const slow = slowPhase(session);
    const isAlmost = session.success && total(session) >= ALMOST * sessionLimit(session, t);
    if (!slow || !isAlmost || slow.value * 2 < total(session) || !isUnusual(slow.value, slow.usual ?? undefined)) return [];
    const why = slowFault(session, readings, t);
    return [{ ...why, sureness: Math.min(why.sureness, ALMOST_AT_MOST) }];
  });
  return found[0];
}

const QUICK_CONNECT_MS = 300;

/** Certificates that a network shows in a service's place; any other flaw is the service's own, or the clock's. */
const isStandIn = (code: string): boolean => ['name', 'authority'].includes(certificateFlaw(code));

/** All of them at once, or one alone that is not valid yet: the clock may be wrong, and again it may not. */
function certificateSureness(code: string, readings: Readings): number {
  const secure = targets(readings).filter((one) => one.isSecure);
  const alike = secure.filter((one) => one.failure?.code === code).length;
  const flaw = certificateFlaw(code);
  if (flaw === 'expired' && alike > 1 && alike === secure.length) return 0.6;
  return flaw === 'not_yet_valid' && secure.some((one) => one.success) ? 0.6 : 0.95;
}

const OWN_AT_MOST = 0.5;
/** Services of several owners do not all fail alike: something between may stop them. */
const ALIKE_AT_MOST = 0.6;
const OF_ONE_OWNER: readonly FaultKind[] = ['service_error', 'service_unreachable', 'service_slow'];

function capped(found: Found, session: SessionReading, readings: Readings): Found {
  const code = session.failure?.code;
  if (!OF_ONE_OWNER.includes(found.fault.kind) || code === undefined) return found;
  if (isOfThisDevice(code)) return { ...found, sureness: Math.min(found.sureness, OWN_AT_MOST) };
  const all = targets(readings);
  const isAlike = all.length > 1 && all.every((one) => one.failure?.code === code);
  return isAlike ? { ...found, sureness: Math.min(found.sureness, ALIKE_AT_MOST) } : found;
}

/** Why a session failed or is slow, from its phases, its error, and what name servers and traces show beside it. Pure. */
export const sessionFault = (session: SessionReading, readings: Readings, t: Thresholds): Found =>
  session.success ? slowFault(session, readings, t) : capped(failureFault(session, readings, t), session, readings);
