import { change, deployOf, longAgo } from '../plan-changes.ts';
import { MINUTE_MS } from '../scenario.ts';
import { type End, type Family, variant } from './family.ts';

/** Incidents whose cause nobody measured and nobody changed: the answer is "unknown", whatever else happened. */

/** The service that is asked breaks, and nothing tells why. */
export const ownFault: Family = {
  name: 'own-fault',
  count: 6,
  wants: () => ({}),
  tell({ estate, front }, roll) {
    const harm = variant(roll, [
      { errors: 0.9 },
      { addMs: 2200 },
      { errors: 0.6 },
      { addMs: 3100 },
      { errors: 0.7 },
      { errors: 1 },
    ]);
    return {
      truth: `${front} of ${estate.host} breaks after weeks without a change.`,
      ...{ causes: [], asks: 'tests', crowd: roll.place % 2 },
      faults: [
        {
          what: 'service',
          service: front,
          line: variant(roll, ['Unexpected end of input', 'Task timed out', 'Assertion failed: left != right']),
          ...harm,
        },
      ],
    };
  },
};

/** Tests fail, and nobody sends anything else. */
export const blindFault: Family = {
  name: 'blind-fault',
  count: 6,
  wants: () => ({ traced: false }),
  tell({ estate }, roll) {
    const end = variant<End>(roll, [
      { fault: 'assertion', error: 'status 500, wanted 200' },
      { fault: 'reset', error: 'the connection was reset' },
      { fault: 'timeout', error: 'no answer within 10 s' },
      { fault: 'refused', error: 'port 443 refuses the connection' },
      { fault: 'redirect', error: 'more than 10 redirects' },
      { fault: 'closed', error: 'the connection was closed' },
    ]);
    return {
      truth: `${estate.host} breaks in a way that tests alone see (${end.fault}).`,
      ...{ causes: [], asks: 'tests', crowd: roll.place % 3 },
      faults: [{ what: 'way', ...end, share: variant(roll, [1, 0.9]) }],
    };
  },
};

/** The same, with a deploy of the same target hours before, which did no harm all that time. */
export const oldChange: Family = {
  name: 'old-change',
  count: 5,
  wants: (place) => ({ traced: place % 2 === 0 }),
  tell({ estate, front }, roll) {
    const service = estate.services.length > 0 ? front : estate.host;
    return {
      truth: `${estate.host} breaks, hours after its last deploy and for another reason.`,
      ...{ causes: [], asks: 'tests' },
      faults: [{ what: 'service', service, errors: variant(roll, [0.9, 0.6, 1]), line: 'Worker stopped answering' }],
      changes: [deployOf(roll.random, estate.host, { label: 'old-deploy', atMs: longAgo(roll.random, 3, 8) })],
    };
  },
};

/** The same amid a storm of changes of everything else. */
export const changeStorm: Family = {
  name: 'change-storm',
  count: 4,
  wants: (place) => ({ traced: place % 2 === 1 }),
  tell({ estate, front, beside }, roll) {
    const service = estate.services.length > 0 ? front : estate.host;
    return {
      truth: `${estate.host} breaks while much else is changed: none of it is what it depends on and is hurt.`,
      ...{ causes: [], asks: 'tests', crowd: 3 },
      faults: [{ what: 'service', service, errors: variant(roll, [0.8, 1]), line: 'Unhandled state' }],
      changes: [
        change({ label: 'beside-now', title: `Deploy ${beside} 9.1.0`, target: beside, atMs: -2 * MINUTE_MS }),
        change({ label: 'network-now', kind: 'iac', title: 'Rebuild the jump hosts', prefix: '192.0.2.0/24', atMs: -MINUTE_MS }),
      ],
    };
  },
};

/** A service fails for no reason that is measured, its callers say so, and it is what the incident is about. */
export const edgeFault: Family = {
  name: 'edge-fault',
  count: 3,
  wants: () => ({ watchesEdges: true }),
  tell({ middle, deep }, roll) {
    const service = variant(roll, [deep, middle]);
    return {
      truth: `${service} answers a quarter of its callers with errors, without a change and without a reason that is measured.`,
      ...{ causes: [], asks: 'otlp', about: service },
      faults: [{ what: 'service', service, errors: variant(roll, [0.25, 0.3, 0.35]), line: 'Bad state' }],
    };
  },
};
