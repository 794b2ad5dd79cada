import type { PathView, ServiceState, SessionView } from '@svc/contracts/agent/ipc';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import { agentState, type Deciding, disclosureState, serverOf, settings } from '../service/in-force.ts';
import type { Owners } from '../service/open.ts';
import { measuredOf, pathView, sessionView } from './result-view.ts';
import { verdictView } from './verdict-view.ts';

/** What the first page is made of. */
type Shown = Pick<
  Owners,
  keyof Deciding | 'plane' | 'findings' | 'uplink' | 'spool' | 'history' | 'context' | 'testNow' | 'deepTest'
>;

const MAX_PATHS = 8;
const MAX_SESSIONS = 33;

/** Traces to what is chosen now. */
function pathsOf(r: Shown): PathView[] {
  const { collect, traceTargets } = settings(r);
  const chosen = r.findings.observed.each('endpoint.lastmile').filter((one) => traceTargets.includes(one.server_address ?? ''));
  return chosen.slice(0, MAX_PATHS).map((result) => pathView(result, collect));
}

/** Sessions to what is chosen now, and the control plane's own. */
export function sessionsOf(r: Shown): SessionView[] {
  const { sessionTargets } = settings(r);
  const chosen = r.findings.observed.each('endpoint.session').filter(({ attributes }) => {
    const isOwn = attributes[ATTRIBUTES.sessionRole] === 'control_plane';
    return isOwn || sessionTargets.includes(attributes[ATTRIBUTES.urlFull] ?? '');
  });
  return chosen.slice(0, MAX_SESSIONS).map((result) => sessionView(result, r.history.typicalMs(targetOf(result))));
}

export const signalOf = (r: Shown): Pick<ServiceState['wifi'], 'rssiDbm' | 'signalPercent'> => {
  const wifi = r.findings.observed.newest('endpoint.wifi');
  return { rssiDbm: measuredOf(wifi, 'rssi.dbm'), signalPercent: measuredOf(wifi, 'signal.percent') };
};

export const gatewayOf = (r: Shown): ServiceState['gateway'] => {
  const gateway = r.findings.observed.newest('endpoint.gateway');
  return { rttMs: measuredOf(gateway, 'rtt.avg.ms'), lossRatio: measuredOf(gateway, 'packet.loss.ratio') };
};

export const presentVerdict = ({ findings }: Pick<Shown, 'findings'>): ServiceState['verdict'] => {
  const present = findings.verdict();
  return present ? verdictView(present.judged, present.atMs) : null;
};

/** Told lately, and of the cause that this device has itself. */
function sharedNow(
  { plane }: Pick<Shown, 'plane'>,
  verdict: ServiceState['verdict'],
  isConnected: boolean,
): Pick<ServiceState, 'shared'> {
  const { shared } = plane;
  if (!shared || !isConnected || shared.cause !== verdict?.cause) return {};
  return { shared: { others: shared.others, sinceMs: shared.sinceMs } };
}

/** Everything that a face shows on its first page, as it is now. */
export function serviceState(r: Shown): ServiceState {
  const policy = r.policy.current();
  const spool = r.spool.status();
  const link = r.uplink.state();
  const missing = r.findings.missing();
  const deepTest = r.deepTest.view();
  const verdict = presentVerdict(r);
  return {
    state: agentState(r, { link, missing }),
    server: serverOf(r),
    organisation: r.plane.organisation,
    connected: link?.connected === true,
    problem: link?.problem ?? null,
    offlineSinceMs: link && !link.connected ? link.since : null,
    waiting: spool.results,
    dropped: spool.dropped,
    pausedUntilMs: r.pause.untilMs() ?? null,
    maxPauseMinutes: policy.maxPauseMinutes,
    disclosure: disclosureState(r),
    mustAccept: policy.mustAccept,
    missingPermissions: [...missing],
    verdict,
    ...sharedNow(r, verdict, link?.connected === true),
    wifi: {
      ...signalOf(r),
      ssid: r.findings.observed.newest('endpoint.wifi')?.attributes[ATTRIBUTES.ssid]?.slice(0, 256) ?? null,
    },
    gateway: gatewayOf(r),
    paths: pathsOf(r),
    sessions: sessionsOf(r),
    strip: r.history.strip(r.deps.clock.now()),
    context: r.context.now(),
    test: r.testNow.view() ?? null,
    ...(deepTest ? { deepTest } : {}),
  };
}
