import { deployOf } from '../plan-changes.ts';
import type { Fault, TrueCause } from '../scenario.ts';
import { type Family, variant } from './family.ts';

/** Two faults that have nothing to do with each other, at once: either may be told first. */
export const twoFaults: Family = {
  name: 'two-faults',
  count: 4,
  wants: () => ({ sites: true, users: true }),
  tell({ estate, front, database, site }, roll) {
    const deploy: TrueCause = { kind: 'change', label: 'culprit' };
    const broken: Fault = { what: 'service', service: front, errors: 0.8, line: 'TypeError: undefined is no function' };
    const isp: Fault = { what: 'devices', site: site.name, cause: 'isp', share: 0.8 };
    const slow: Fault = { what: 'outside', name: database, addMs: 2800, line: 'Slow query: SELECT orders' };
    const told = variant(roll, [
      { words: 'a bad deploy, and an outage of the ISP at a site', causes: [deploy], faults: [broken, isp], isDeploy: true },
      {
        words: 'a slow database, and a certificate that ran out',
        causes: [{ kind: 'dependency', subject: database }, { kind: 'certificate' }] as TrueCause[],
        faults: [slow, { what: 'certificate', how: 'expired', fromMs: 60_000 }] as Fault[],
        isDeploy: false,
      },
      {
        words: 'a bad deploy, and pages that fail',
        causes: [deploy, { kind: 'client' }] as TrueCause[],
        faults: [broken, { what: 'pages', errors: 0.4 }] as Fault[],
        isDeploy: true,
      },
      {
        words: 'a slow database, and a bad deploy of what asks it',
        causes: [deploy, { kind: 'dependency', subject: database }] as TrueCause[],
        faults: [slow, broken],
        isDeploy: true,
      },
    ]);
    return {
      truth: `Two faults at once at ${estate.host}: ${told.words}.`,
      ...{ causes: told.causes, asks: 'tests', faults: told.faults },
      changes: told.isDeploy ? [deployOf(roll.random, estate.host)] : [],
    };
  },
};
