import type { CollectItem } from '../agent/ipc.ts';
import type { Policy } from '../policy.ts';

type Item = Omit<CollectItem, 'last'>;

const IDENTIFIERS = ['ssid', 'gatewayIp', 'deviceName', 'hostFacts', 'publicHops'] as const;

/**
 * What a device with no stricter settings of its own shows under this policy, in the order in which it shows it. `server`: the control
 * plane, which it always opens too. `allowed`: what devices send unless they are told otherwise.
 */
export function itemsOfPolicy(policy: Policy, server: string, allowed: Readonly<Policy['collect']>): Item[] {
  const decidedBy = policy.version > 0 ? 'policy' : 'default';
  const measured = (item: Item['item'], everySeconds: number, targets: readonly string[] = []): Item => ({
    item,
    on: true,
    decidedBy,
    yours: false,
    everySeconds,
    targets: [...targets],
  });
  const { wifiIntervalSeconds: wifi, gatewayIntervalSeconds: gateway } = policy;
  const { pathIntervalSeconds: path, sessionIntervalSeconds: session } = policy;
  // Targets are chosen, also those that a server was started with.
  const [traced, opened] = [policy.traceTargets.length > 0, policy.sessionTargets.length > 0];
  return [
    measured('wifi', wifi),
    measured('gateway', gateway),
    { ...measured('path', path, policy.traceTargets), on: traced, ...(traced ? { decidedBy: 'policy' } : {}) },
    { ...measured('session', session, [...policy.sessionTargets, server]), ...(opened ? { decidedBy: 'policy' } : {}) },
    measured('resolver', session),
    measured('agent', session),
    { ...measured('context', session), decidedBy: 'default' },
    ...IDENTIFIERS.map((item): Item => {
      const on = allowed[item] && policy.collect[item];
      return { item, on, decidedBy: allowed[item] ? decidedBy : 'default', yours: on, everySeconds: null, targets: [] };
    }),
  ];
}
