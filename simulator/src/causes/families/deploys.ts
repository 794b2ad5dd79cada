import { change, deployOf } from '../plan-changes.ts';
import { MINUTE_MS } from '../scenario.ts';
import { type Family, variant } from './family.ts';

const CULPRIT = [{ kind: 'change', label: 'culprit' }] as const;
/** What a fault does to a part. */
interface Harm {
  errors?: number;
  addMs?: number;
}

const LINE = 'TypeError: cannot read property total of undefined';

/** A bad deploy of what the test asks. */
export const badDeploy: Family = {
  name: 'bad-deploy',
  count: 5,
  wants: (place) => ({ traced: place !== 2 }),
  tell({ estate, front }, roll) {
    const harm = variant<Harm & { words: string }>(roll, [
      { errors: 1, words: 'answers nothing but errors' },
      { errors: 0.6, words: 'answers most requests with errors' },
      { errors: 0.8, words: 'answers most requests with errors, and nobody sends traces' },
      { addMs: 2600, words: 'answers far too slowly' },
      { errors: 0.7, words: 'fails most requests four minutes after its deploy' },
    ]);
    const target = estate.services.length > 0 ? front : estate.host;
    return {
      truth: `A deploy of ${estate.host} ${harm.words}.`,
      ...{ causes: CULPRIT, asks: 'tests' },
      faults: [{ what: 'service', service: target, errors: harm.errors ?? 0, addMs: harm.addMs ?? 0, line: LINE }],
      changes: [
        deployOf(roll.random, estate.host, {
          via: roll.place % 2 === 0 ? 'forge_a' : 'generic',
          ...(roll.place === 4 ? { atMs: -4 * MINUTE_MS } : {}),
        }),
      ],
    };
  },
};

/** A bad deploy of a service that the one that is asked depends on, one call or two away. */
export const dependencyDeploy: Family = {
  name: 'dependency-deploy',
  count: 4,
  wants: () => ({}),
  tell({ middle, deep, front }, roll) {
    const target = variant(roll, [middle, deep]);
    const harm = variant<Harm>({ place: Math.floor(roll.place / 2) }, [{ errors: 0.8 }, { addMs: 2400 }]);
    return {
      truth: `A deploy of ${target}, which ${front} depends on, broke it.`,
      ...{ causes: CULPRIT, asks: 'tests' },
      faults: [{ what: 'service', service: target, line: 'NullPointerException in handler', ...harm }],
      changes: [deployOf(roll.random, target)],
    };
  },
};

/** A bad deploy, and a change of another host between it and the harm. */
export const decoyConfig: Family = {
  name: 'decoy-config',
  count: 3,
  wants: (place) => ({ traced: place !== 1 }),
  tell({ estate, front, beside }, roll) {
    const service = estate.services.length > 0 ? front : estate.host;
    const decoy = {
      kind: 'config',
      title: `Change the configuration of ${beside}`,
      target: `${beside}.internal.example`,
    } as const;
    return {
      truth: `A deploy of ${estate.host} broke it; a change of configuration of another host came between them.`,
      ...{ causes: CULPRIT, asks: 'tests', crowd: 1 },
      faults: [{ what: 'service', service, errors: 0.9, line: LINE }],
      changes: [
        deployOf(roll.random, estate.host, { atMs: -Math.round(roll.random.between(5, 12) * MINUTE_MS) }),
        change({ label: 'decoy', ...decoy, atMs: -MINUTE_MS }),
      ],
    };
  },
};

/** A new version of the page's own program, which fails in browsers alone. */
export const clientRelease: Family = {
  name: 'client-release',
  count: 4,
  wants: () => ({ users: true }),
  tell({ estate }, roll) {
    const harm = variant<Harm>(roll, [{ errors: 0.35 }, { addMs: 4500 }]);
    return {
      truth: `A release of the pages of ${estate.host} ${harm.errors ? 'throws errors' : 'draws late'} in browsers; the services are well.`,
      ...{ causes: CULPRIT, asks: 'rum' },
      faults: [{ what: 'pages', ...harm }],
      changes: [
        deployOf(roll.random, estate.host, {
          kind: variant(roll, ['release', 'deploy']),
          title: `Release the pages of ${estate.host}`,
        }),
      ],
    };
  },
};
