import { setTimeout as sleep } from 'node:timers/promises';
import { resolverAbsent, resolverResult, type SessionRole, sessionResult } from '../results.ts';
import { measureWithFollowUp } from './follow-up.ts';
import { eachOf, type Measuring, nameToAsk, stampNow } from './measuring.ts';
import { measureResolverRound } from './resolver-round.ts';

const SESSIONS_AT_ONCE = 2;
const CONFIRMATIONS = 2;
/** Far enough from each other that one short disturbance is one reading. */
const CONFIRM_AFTER_MS = 45_000;

interface SessionOrder {
  url: string;
  authority?: string;
  role: SessionRole;
}

/**
 * Every target once; where it `confirms`, those that differ from before up to twice more, some time later: one session alone blames
 * nobody, and a fault that stays is told before the next round.
 */
export async function measureSessions(m: Measuring, { confirms }: { confirms: boolean }): Promise<void> {
  const controlPlane = m.controlPlane();
  const targets = m.settings().sessionTargets.map((url) => ({ url, role: 'target' as const }));
  const all: SessionOrder[] = controlPlane ? [{ ...controlPlane, role: 'control_plane' as const }, ...targets] : targets;
  m.state.keepTargets(
    m.settings().traceTargets,
    all.map((one) => one.url),
  );
  await openSessions(m, all);
  for (let again = 0; confirms && again < CONFIRMATIONS; again += 1) {
    const doubtful = all.filter(({ url }) => m.state.isDoubtful(url));
    if (doubtful.length === 0) return;
    await sleep(CONFIRM_AFTER_MS, undefined, { signal: m.signal() });
    await openSessions(m, doubtful);
  }
}

async function openSessions(m: Measuring, orders: readonly SessionOrder[]): Promise<void> {
  await eachOf(orders, SESSIONS_AT_ONCE, async ({ role, ...order }) => {
    const stamp = stampNow(m);
    const proxy = m.proxyFor ? { proxyFor: m.proxyFor } : {};
    const asked = { ...order, ...proxy, signal: m.signal() };
    const session = await measureWithFollowUp(m.probes, asked, { isTarget: role === 'target' });
    m.state.addSession(session, role, m.clock.steady());
    m.onSession?.(session);
    await m.emit([sessionResult(session, role, stamp)]);
  });
}

export async function measureResolvers(m: Measuring): Promise<void> {
  const found = await m.probes.readResolvers();
  if ('unavailable' in found) {
    await m.emit([resolverAbsent(found.unavailable, stampNow(m))]);
    return;
  }
  const controlPlane = m.controlPlane();
  const stamp = stampNow(m);
  const measured = await measureResolverRound(m.probes, {
    servers: found.value.servers,
    urls: [...(controlPlane ? [controlPlane.url] : []), ...m.settings().sessionTargets],
    otherwise: nameToAsk(m),
    ...(m.proxyFor ? { proxyFor: m.proxyFor } : {}),
    signal: m.signal(),
  });
  for (const one of measured) m.state.addResolver(one, m.clock.steady());
  m.onResolvers?.(measured);
  await m.emit(measured.map((one) => resolverResult(one, { ...stamp, resultId: m.newId() })));
}
