import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readKept } from './scripts/test/kept.js';

/** Parts of the long lane beside fuzzing and the long attacks: each takes minutes, and what it holds changes seldom. */
const LONG = {
  /** Exporters of other languages and the snippets that people copy. */
  peers: ['server/src/features/otlp/peers/**/*.int.test.ts', 'e2e/snippets.int.test.ts'],
  /** The agent as it is installed. */
  packages: ['scripts/package/**/*.int.test.ts'],
  /** What the agent costs over minutes. */
  cost: ['desktop-agent/bench/**/*.int.test.ts'],
  /** What the agent makes of its own traffic over minutes: at the real pace, as routers limit their answers by it. */
  soak: ['desktop-agent/src/lab/resident.int.test.ts'],
  /** What the agent says in situations of known truth. */
  corpus: ['desktop-agent/src/lab/corpus.int.test.ts'],
  /** What the panel of an incident says of causes that are known. */
  causes: ['e2e/causes/long/**/*.int.test.ts'],
  /** The browser SDK beside web-vitals, in Firefox and WebKit, and what it takes of a page. */
  sdk: ['rum-sdk/e2e/long/**/*.int.test.ts'],
  /** Brokers that die again and again, members of a group that come and go, and a disk that fills: a minute and more each. */
  faults: [
    'server/src/bus/kafka-faults.int.test.ts',
    'server/src/features/otlp-store/kafka-fleet.int.test.ts',
    'e2e/faults/disk-full.int.test.ts',
  ],
};

/** Files that take a minute and more, where nothing is kept of how long they take: begun last, one of them would run alone at the end. */
const SLOW = ['faces', 'attribution', 'path', 'service', 'consent', 'verdicts'];
const SLOW_SECONDS = 60;

const kept = readKept(join(import.meta.dirname, 'scripts/test/kept.json'));
/** Seconds by file, of whichever step. */
const keptSeconds: Readonly<Record<string, number>> = Object.assign({}, ...Object.values(kept.steps).map(({ files }) => files));

/** The longest first, so that no worker idles while the last file waits. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number => {
      const file = relative(import.meta.dirname, moduleId);
      return keptSeconds[file] ?? (SLOW.some((name) => file.endsWith(`/${name}.int.test.ts`)) ? SLOW_SECONDS : 0);
    };
    return (await super.sort(files)).toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}

/** What one tenant's requests take beside another's: told only by a machine that does nothing else. */
const SHARES = ['server/src/**/*shares.int.test.ts'];

/** Attacks on one started product, one after the other: what they measure must not be each other. */
const attacks = {
  include: ['e2e/attacks/**/*.attack.ts'],
  pool: 'forks' as const,
  maxWorkers: 1,
  fileParallelism: false,
  sequence: { groupOrder: 2 },
  testTimeout: 120_000,
  hookTimeout: 180_000,
};

/** With real stores, brokers, network namespaces and agents. */
const real = {
  testTimeout: 120_000,
  hookTimeout: 180_000,
  pool: 'forks' as const,
  // They wait more than they compute: with three of them two cores were busy half of the time.
  maxWorkers: 4,
  // After the unit tests, where a folder's tests are run at once: the groups differ in their workers.
  sequence: { groupOrder: 1 },
};

const shared = { exclude: ['**/node_modules/**', '**/dist/**', '**/types/**', 'e2e/tests/**'] };

/** `unit` needs nothing but Node; `integration` and `shares` start real stores, brokers, network namespaces and agents. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...shared.exclude, '**/*.int.test.ts', '**/*.browser.test.tsx'],
          testTimeout: 20_000,
          // Files of one process share their modules: loaded anew for each file, those took more than half of the time. So a file leaves
          // nothing behind, and what it put in the place of globals goes.
          isolate: false,
          // Half of the time they wait, for a time that has to pass or for a socket.
          maxWorkers: 4,
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['**/*.int.test.ts'],
          exclude: [...shared.exclude, ...SHARES, ...Object.values(LONG).flat()],
          ...real,
        },
      },
      ...Object.entries(LONG).map(([name, include]) => ({ test: { ...real, name, include } })),
      // The console's components in a real Chromium.
      'web-console/vitest.config.ts',
      { test: { ...attacks, name: 'shares', include: SHARES } },
      { test: { ...attacks, name: 'attacks' } },
      { test: { ...attacks, name: 'attacks-long', env: { SVC_TEST_ATTACKS: 'long' } } },
    ],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
