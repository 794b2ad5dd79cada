import { isIP } from 'node:net';
import { loadLine } from '../deep-test/load-line.ts';
import type { DeepTestDeps } from '../deep-test/run-deep-test.ts';
import { controlPlaneOf } from '../identity/identity.ts';
import type { ProxyFinder } from '../ipc/proxy-finder.ts';
import type { Ledger } from '../publish/ledger.ts';
import type { ServiceDeps } from './deps.ts';
import { type Deciding, settings } from './in-force.ts';
import { trafficBlock } from './sent-record.ts';

const MAX_HOSTS = 4;

/** Whom a deeper test asks: nobody but those that this device talks to anyway. */
export type DeepTestPlan = Pick<DeepTestDeps, 'hosts' | 'target' | 'loadLine'>;

interface Planning extends Deciding {
  deps: Pick<ServiceDeps, 'config' | 'server' | 'runChore' | 'protocol' | 'clock'>;
  ledger: Pick<Ledger, 'append'>;
  faces: { proxies: Pick<ProxyFinder, 'proxyFor'> };
}

const bareHost = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');
const isOwnMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Hosts of the sessions, as far as this device reaches them itself. */
async function hostsOf(r: Planning): Promise<string[]> {
  const held = r.keeper.current();
  const urls = [...(held ? [controlPlaneOf(held.identity).url] : []), ...settings(r).sessionTargets];
  const hosts = new Set<string>();
  for (const url of urls) {
    const proxy = await r.faces.proxies.proxyFor(url).catch(() => null);
    if (proxy === null && !isOwnMachine(bareHost(url))) hosts.add(bareHost(url));
  }
  return [...hosts].slice(0, MAX_HOSTS);
}

export async function planDeepTest(r: Planning): Promise<DeepTestPlan> {
  const hosts = await hostsOf(r);
  return {
    hosts,
    target: settings(r).traceTargets[0] ?? hosts[0],
    async loadLine(signal) {
      const credentials = r.keeper.current();
      if (!credentials) return { idleMs: null, upload: null, download: null, fault: 'not_enrolled' };
      const isProvedByRoots = credentials.identity.grpcTrust === 'system';
      const roots = isProvedByRoots ? await r.deps.runChore('readRoots', {}).catch(() => undefined) : undefined;
      const { protocol } = r.deps;
      return await loadLine({
        credentials,
        signal,
        onTraffic(traffic) {
          const at = { server: credentials.identity.grpcAddr, at: r.deps.clock.now() };
          for (const one of traffic) if (one.messages > 0) void r.ledger.append(trafficBlock(one, at));
        },
        ...(roots ? { roots } : {}),
        ...(protocol === undefined ? {} : { protocol }),
      });
    },
  };
}
