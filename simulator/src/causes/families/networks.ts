import { change } from '../plan-changes.ts';
import { MINUTE_MS } from '../scenario.ts';
import { type End, type Family, variant } from './family.ts';

/** The line of a site is down or full. */
export const ispOutage: Family = {
  name: 'isp-outage',
  count: 3,
  wants: () => ({ sites: true }),
  tell: ({ site }, roll) => ({
    truth: `The line of the ISP at ${site.name} loses packets.`,
    ...{ causes: [{ kind: 'network', subject: site.name }], asks: 'endpoint' },
    faults: [{ what: 'devices', site: site.name, cause: 'isp', share: variant(roll, [0.9, 0.5, 0.3]) }],
  }),
};

/** The ISP of a place where tests run has an outage: they do not get through, and others do. */
export const placeOutage: Family = {
  name: 'place-outage',
  count: 3,
  wants: () => ({}),
  tell({ estate }, roll) {
    const [place = ''] = estate.tests[0]?.runners ?? [];
    const end = variant<End>(roll, [
      { fault: 'timeout', error: 'no answer within 10 s' },
      { fault: 'no_answer', error: 'no answer' },
      { fault: 'unroutable', error: 'no route to the host' },
    ]);
    return {
      truth: `The provider at ${place} has an outage: ${estate.host} is reached from everywhere else.`,
      ...{ causes: [{ kind: 'network', subject: place }], asks: 'tests' },
      faults: [{ what: 'way', ...end, share: 0.95, runners: [place] }],
    };
  },
};

/** One floor's Wi-Fi: devices behind one gateway share it. */
export const wifiFloor: Family = {
  name: 'wifi-floor',
  count: 4,
  wants: () => ({ sites: true }),
  tell: ({ site }, roll) => ({
    truth: `The ${variant(roll, ['Wi-Fi', 'local network'])} of a floor at ${site.name} is disturbed.`,
    ...{ causes: [{ kind: 'network', subject: site.name }], asks: 'endpoint' },
    faults: [
      { what: 'devices', site: site.name, cause: variant(roll, ['wifi', 'local']), share: variant(roll, [0.8, 0.6, 0.45, 0.35]) },
    ],
  }),
};

/** A change of the network of a site. */
export const networkChange: Family = {
  name: 'network-change',
  count: 3,
  wants: () => ({ sites: true }),
  tell({ site }, roll) {
    const prefix = site.gateway.replace(/\.\d+\.1$/, variant(roll, ['.32.0/24', '.32.0/20', '.0.0/16']));
    return {
      truth: `A change of the network at ${site.name} made it lose packets.`,
      ...{ causes: [{ kind: 'change', label: 'culprit' }], asks: 'endpoint' },
      faults: [{ what: 'devices', site: site.name, cause: variant(roll, ['network', 'local', 'isp']), share: 0.8 }],
      changes: [
        change({
          ...{ label: 'culprit', kind: variant(roll, ['route', 'config', 'iac']), prefix },
          ...{ title: `Change the network ${prefix}`, atMs: -Math.round(roll.random.between(1, 8) * MINUTE_MS) },
        }),
      ],
    };
  },
};
