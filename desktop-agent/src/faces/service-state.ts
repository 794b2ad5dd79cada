import type { PathView, ServiceState, SessionView } from '@svc/contracts/agent/ipc';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import { agentState, disclosureState, serverOf, settings } from '../service/in-force.ts';
import type { Running } from '../service/running.ts';
import { measuredOf, pathView, sessionView } from './result-view.ts';
import { verdictView } from './verdict-view.ts';

const MAX_PATHS = 8;
const MAX_SESSIONS = 33;

/** Traces to what is chosen now. */
function pathsOf(r: Running): PathView[] {
  const { collect, traceTargets } = settings(r);
  const chosen = r.observed.each('endpoint.lastmile').filter((one) => traceTargets.includes(one.server_address ?? ''));
  return chosen.slice(0, MAX_PATHS).map((result) => pathView(result, collect));
}

/** Sessions to what is chosen now, and the control plane's own. */
export function sessionsOf(r: Running): SessionView[] {
  const { sessionTargets } = settings(r);
  const chosen = r.observed.each('endpoint.session').filter(({ attributes }) => {
    const isOwn = attributes[ATTRIBUTES.sessionRole] === 'control_plane';
    return isOwn || sessionTargets.includes(attributes[ATTRIBUTES.urlFull] ?? '');
  });
  return chosen.slice(0, MAX_SESSIONS).map((result) => sessionView(result, r.history.usualMs(targetOf(result))));
}

export const signalOf = (r: Running): Pick<ServiceState['wifi'], 'rssiDbm' | 'signalPercent'> => {
  const wifi = r.observed.newest('endpoint.wifi');
  return { rssiDbm: measuredOf(wifi, 'rssi.dbm'), signalPercent: measuredOf(wifi, 'signal.percent') };
};

export const gatewayOf = (r: Running): ServiceState['gateway'] => {
  const gateway = r.observed.newest('endpoint.gateway');
  return { rttMs: measuredOf(gateway, 'rtt.avg.ms'), lossRatio: measuredOf(gateway, 'packet.loss.ratio') };
};

export const presentVerdict = (r: Running): ServiceState['verdict'] =>
  r.judged ? verdictView(r.judged.judged, r.judged.atMs) : null;

/** Everything that a face shows on its first page, as it is now. */
export function serviceState(r: Running): ServiceState {
  const policy = r.policy.current();
  const spool = r.spool.status();
  const { linkState } = r;
  return {
    state: agentState(r),
    server: serverOf(r),
    organisation: r.plane.organisation,
    connected: linkState?.connected === true,
    problem: linkState?.problem ?? null,
    offlineSinceMs: linkState && !linkState.connected ? linkState.since : null,
    waiting: spool.results,
    dropped: spool.dropped,
    pausedUntilMs: r.pause.untilMs() ?? null,
    maxPauseMinutes: policy.maxPauseMinutes,
    disclosure: disclosureState(r),
    mustAccept: policy.mustAccept,
    missingPermissions: [...r.missing],
    verdict: presentVerdict(r),
    wifi: { ...signalOf(r), ssid: r.observed.newest('endpoint.wifi')?.attributes[ATTRIBUTES.ssid]?.slice(0, 256) ?? null },
    gateway: gatewayOf(r),
    paths: pathsOf(r),
    sessions: sessionsOf(r),
    strip: r.history.strip(r.deps.clock.now()),
    context: r.context.now(),
    test: r.test ?? null,
  };
}
