import { change } from '../plan-changes.ts';
import { MINUTE_MS } from '../scenario.ts';
import { type End, type Family, variant } from './family.ts';

const shortlyBefore = (random: { between(low: number, high: number): number }): number =>
  -Math.round(random.between(0.5, 7) * MINUTE_MS);

/** A record of DNS was changed, and leads nowhere. */
export const dnsChange: Family = {
  name: 'dns-change',
  count: 3,
  wants: () => ({}),
  tell({ estate }, { random, place }) {
    const end = variant<End>({ place }, [
      { fault: 'name_not_found', error: 'the name does not exist' },
      { fault: 'name_unresolved', error: 'no resolver answers for the name' },
    ]);
    return {
      truth: `A DNS record of ${estate.host} was changed, and its name is not resolved any more.`,
      ...{ causes: [{ kind: 'change', label: 'culprit' }], asks: 'tests' },
      faults: [{ what: 'way', ...end, share: 1 }],
      changes: [
        change({
          ...{ label: 'culprit', kind: variant({ place }, ['config', 'iac', 'other']), target: estate.host },
          ...{ title: `Change the DNS zone of ${estate.host}`, atMs: shortlyBefore(random) },
        }),
      ],
    };
  },
};

/** Names are not resolved, or slowly, and nobody changed anything. */
export const dnsOutage: Family = {
  name: 'dns-outage',
  count: 3,
  wants: () => ({}),
  tell({ estate }, roll) {
    const isSlow = roll.place === 2;
    return {
      truth: `The resolvers of ${estate.host} ${isSlow ? 'answer after three seconds' : 'do not answer'}; nobody changed anything.`,
      ...{ causes: [{ kind: 'dns' }], asks: 'tests' },
      faults: isSlow
        ? [{ what: 'phase', phase: 'dns', addMs: 3000 }]
        : [{ what: 'way', fault: 'name_unresolved', error: 'no resolver answers for the name', share: variant(roll, [1, 0.8]) }],
    };
  },
};

export const certificateExpiry: Family = {
  name: 'certificate-expiry',
  count: 3,
  wants: (place) => ({ traced: place !== 1 }),
  tell: ({ estate }) => ({
    truth: `The certificate of ${estate.host} ran out.`,
    ...{ causes: [{ kind: 'certificate' }], asks: 'tests' },
    faults: [{ what: 'certificate', how: 'expired' }],
  }),
};

/** Another certificate was put in place, and it is the wrong one. */
export const certificateChange: Family = {
  name: 'certificate-change',
  count: 3,
  wants: () => ({}),
  tell({ estate }, roll) {
    return {
      truth: `A change put a wrong certificate on ${estate.host}.`,
      ...{ causes: [{ kind: 'change', label: 'culprit' }], asks: 'tests' },
      faults: [{ what: 'certificate', how: variant(roll, ['untrusted', 'wrong_name']) }],
      changes: [
        change({
          ...{ label: 'culprit', kind: variant(roll, ['config', 'deploy', 'iac']), target: estate.host },
          ...{ title: `Renew the certificate of ${estate.host}`, atMs: shortlyBefore(roll.random) },
        }),
      ],
    };
  },
};
