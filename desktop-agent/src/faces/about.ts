import { encodeHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import type { AboutView, HelpdeskView } from '@svc/contracts/agent/ipc';
import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import type { Owners } from '../service/open.ts';
import { gatewayOf, presentVerdict, sessionsOf, signalOf } from './service-state.ts';

export function aboutView(r: Owners): AboutView {
  const identity = r.keeper.current()?.identity;
  const { config, installation, version } = r.deps;
  return {
    version,
    protocol: r.deps.protocol ?? AGENT_PROTOCOL,
    agentId: identity?.agentId ?? null,
    ring: r.plane.ring ?? identity?.ring ?? null,
    installedBy: installation?.by ?? 'checkout',
    lastUpdateMs: installation?.lastUpdateMs ?? null,
    cpuRatio: r.findings.cost()?.cpuRatio ?? null,
    rssBytes: process.memoryUsage.rss(),
    sentBytesDay: r.sent.lastDay(),
    ledgerBytes: r.ledger.bytes(),
    stateDir: config.stateDir,
  };
}

/** Facts for the helpdesk. They stay on this device until the person pastes them somewhere. */
export function helpdeskView(r: Owners): HelpdeskView {
  const agentId = r.keeper.current()?.identity.agentId;
  const atMs = r.deps.clock.now();
  return {
    code: agentId === undefined ? null : encodeHelpdeskCode(agentId, atMs),
    atMs,
    deviceName: r.facts.deviceName.slice(0, 256) || null,
    verdict: presentVerdict(r),
    wifi: signalOf(r),
    gateway: gatewayOf(r),
    sessions: sessionsOf(r),
    version: r.deps.version,
  };
}
