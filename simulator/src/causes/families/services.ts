import { type Family, variant } from './family.ts';

/** A database that answers slowly or refuses; nobody changed anything. */
export const slowDatabase: Family = {
  name: 'slow-database',
  count: 4,
  wants: () => ({}),
  tell({ database, middle }, roll) {
    const harm = variant<{ addMs?: number; errors?: number }>(roll, [
      { addMs: 2400 },
      { errors: 0.7 },
      { addMs: 3200, errors: 0.2 },
      { addMs: 1900 },
    ]);
    return {
      truth: `The database ${database} of ${middle} ${harm.addMs ? 'became slow' : 'refuses queries'}.`,
      ...{ causes: [{ kind: 'dependency', subject: database }], asks: 'tests' },
      faults: [
        {
          what: 'outside',
          name: database,
          line: variant(roll, ['Slow query: SELECT orders', 'Query failed: canceling statement due to timeout']),
          ...harm,
        },
      ],
    };
  },
};

/** Somebody else's interface fails. */
export const providerFault: Family = {
  name: 'provider-fault',
  count: 3,
  wants: () => ({}),
  tell({ provider, deep }, roll) {
    const harm = variant(roll, [{ errors: 0.9 }, { addMs: 2500 }, { errors: 0.5 }]);
    return {
      truth: `${provider}, which ${deep} asks, fails.`,
      ...{ causes: [{ kind: 'dependency', subject: provider }], asks: 'tests' },
      faults: [{ what: 'outside', name: provider, line: 'Upstream answered 502', ...harm }],
    };
  },
};

/** A service further down breaks without a change. */
export const dependencyFault: Family = {
  name: 'dependency-fault',
  count: 3,
  wants: () => ({}),
  tell({ middle, deep, front }, roll) {
    const service = variant(roll, [deep, middle]);
    const harm = variant(roll, [{ errors: 0.8 }, { addMs: 2700 }, { errors: 0.5 }]);
    return {
      truth: `${service}, which ${front} depends on, broke without a change.`,
      ...{ causes: [{ kind: 'dependency', subject: service }], asks: 'tests' },
      faults: [{ what: 'service', service, line: 'Worker died and was restarted', ...harm }],
    };
  },
};

/** More visits than the first service can take. */
export const trafficPeak: Family = {
  name: 'traffic-peak',
  count: 4,
  wants: () => ({}),
  tell({ front, estate }, roll) {
    const peak = variant(roll, [
      { times: 5, addMs: 1500, errors: 0.4 },
      { times: 3, addMs: 2300 },
      { times: 4, addMs: 600, errors: 0.6 },
      { times: 2.4, addMs: 2600, errors: 0.2 },
    ]);
    return {
      truth: `${estate.host} is asked for ${peak.times} times as much as usual, more than ${front} can take.`,
      ...{ causes: [{ kind: 'capacity', subject: front }], asks: 'tests' },
      faults: [
        {
          what: 'load',
          line: variant(roll, ['Connection pool exhausted', 'Slow request', 'Queue is full, request turned away']),
          ...peak,
        },
      ],
    };
  },
};
