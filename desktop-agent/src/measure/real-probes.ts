import { readResolvers } from '@svc/native/resolvers/index';
import { readTraffic } from '@svc/native/traffic/index';
import { createWifiReader } from '@svc/native/wifi/index';
import { measureForwarding } from '@svc/probes/forwarding';
import { measureGateway } from '@svc/probes/gateway';
import { measurePath } from '@svc/probes/path';
import { measurePathMtu } from '@svc/probes/path-mtu';
import { measureResolver } from '@svc/probes/resolver';
import { measureSession } from '@svc/probes/session';
import type { RunChore } from '../chores/run-chore.ts';
import type { AgentClock } from '../clock.ts';
import type { ProbeSet } from './probe-set.ts';
import { createSessionTrust } from './session-trust.ts';

/** The probes of this machine. */
export function createRealProbes(runChore: RunChore, clock: AgentClock): ProbeSet {
  const trust = createSessionTrust(runChore, clock.steady);
  return {
    readWifi: createWifiReader(),
    readResolvers,
    readTraffic,
    measureGateway,
    measureForwarding,
    measurePath,
    measurePathMtu,
    measureResolver,
    measureSession: async ({ authority, ...request }) => await measureSession({ ...request, trust: await trust(authority) }),
  };
}
