import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute and more; begun last, one of them would run alone at the end. Those with several brokers stand apart. */
const SLOW = [
  'kafka-fleet',
  'python-and-go',
  'agent-cost',
  'resident',
  'faces',
  'attribution',
  'path',
  'service',
  'consent',
  'kafka-faults',
  'disk-full',
];

/** The longest first, so that no worker idles while the last file waits. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = SLOW.findIndex((name) => moduleId.endsWith(`/${name}.int.test.ts`));
      return at < 0 ? SLOW.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

const shared = { exclude: ['**/node_modules/**', '**/dist/**', '**/types/**', 'e2e/tests/**'] };

/** `unit` needs nothing but Node; `integration` starts real stores, brokers, network namespaces and agents. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...shared.exclude, '**/*.int.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['**/*.int.test.ts'],
          exclude: shared.exclude,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          pool: 'forks',
          // They wait more than they compute.
          maxWorkers: 3,
        },
      },
    ],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
