// The steps of npm test, and how a step or one file of it is started.
import { findWhyNoChromium } from '../chromium.js';
import { findWhyNoFaceTests } from '../face.js';

/** Of the whole crawl, each at most five minutes. */
const CRAWL_PARTS = 4;
const FUZZ = ['otlp-wire/src/walk/fuzz', 'server/src/features/rum/fuzz'];

const vitest = (project, title, more = {}) => ({ title, runner: 'vitest', project, ...more });
const playwright = (folder, title, more = {}) => ({
  title,
  runner: 'playwright',
  config: `${folder}/playwright.config.ts`,
  ...more,
});

const attacks = (project, title, more = {}) =>
  vitest(project, title, {
    ...more,
    whyNot: () => (process.platform === 'linux' ? undefined : 'they read the memory of the server from /proc'),
  });

export const STEPS = {
  lint: {
    title: 'Lint and walls',
    commands: [
      { command: 'biome', args: ['check', '--error-on-warnings'] },
      { command: 'node', args: ['scripts/test/check-retries.js'], title: 'Retries inside the suite' },
    ],
  },
  types: { title: 'Types', commands: [{ command: 'turbo', args: ['run', 'types', '--ui=stream', '--output-logs=errors-only'] }] },
  unit: vitest('unit', 'Unit tests'),
  components: vitest('components', "The console's components in Chromium", { whyNot: findWhyNoChromium }),
  integration: vitest('integration', 'Integration tests'),
  window: playwright('desktop-agent/renderer-e2e', "The agent's window in Chromium", { whyNot: findWhyNoChromium }),
  face: playwright('desktop-agent/e2e', "The agent's tray and window on a real Electron", { whyNot: findWhyNoFaceTests }),
  shares: vitest('shares', 'Fair shares of tenants, measured with nothing beside them'),
  e2e: playwright('e2e', 'End to end in Chromium', { whyNot: findWhyNoChromium }),
  attacks: attacks('attacks', 'Attacks on the started product, the short ones'),
  peers: vitest('peers', 'Exporters of other languages, and the snippets that people copy', { isLong: true, seconds: 150 }),
  packages: vitest('packages', 'The agent as it is installed', { isLong: true, seconds: 150 }),
  cost: vitest('cost', 'What the agent costs over minutes', { isLong: true, seconds: 200 }),
  soak: vitest('soak', 'The agent in a healthy network over minutes', { isLong: true, seconds: 150 }),
  corpus: vitest('corpus', 'What the agent says in situations of known truth', { isLong: true, seconds: 340 }),
  causes: vitest('causes', 'What the panel says of incidents of known cause', { isLong: true, seconds: 300 }),
  sdk: vitest('sdk', 'The browser SDK beside web-vitals, in Firefox and WebKit, and its cost', { isLong: true, seconds: 180 }),
  fuzz: vitest('unit', 'Fuzzing of OTLP and beacons, a minute for each signal', {
    files: FUZZ,
    env: { SVC_TEST_FUZZ_SECONDS: '60' },
    isLong: true,
    seconds: 200,
  }),
  'attacks-long': attacks('attacks-long', 'Attacks on the started product, the long ones', { isLong: true }),
  faults: vitest('faults', 'Faults of brokers and disks, again and again', { isLong: true, seconds: 240 }),
  lighthouse: playwright('e2e', 'Lighthouse on every page of the console', {
    files: ['e2e/tests/lighthouse.spec.ts'],
    env: { SVC_TEST_LIGHTHOUSE: 'all' },
    whyNot: findWhyNoChromium,
    isLong: true,
    seconds: 200,
  }),
  interactions: playwright('e2e', 'What people do in a fleet of 10,000, in time of the main thread', {
    files: ['e2e/tests/interaction.spec.ts'],
    env: { SVC_TEST_INTERACTIONS: '1' },
    whyNot: findWhyNoChromium,
    isLong: true,
    seconds: 200,
  }),
  users: playwright('e2e', 'Real users and tests of one site through all four verdicts', {
    files: ['e2e/tests/rum.spec.ts'],
    env: { SVC_TEST_USERS: '1' },
    whyNot: findWhyNoChromium,
    isLong: true,
  }),
  ...crawlParts(),
};

function crawlParts() {
  const parts = Array.from({ length: CRAWL_PARTS }, (_, i) => `${i + 1}/${CRAWL_PARTS}`);
  const crawl = (part) =>
    playwright('e2e', `Walks through the console in Chromium, part ${part}`, {
      files: ['e2e/tests/crawler.spec.ts'],
      env: { SVC_TEST_CRAWL: part },
      whyNot: findWhyNoChromium,
      isLong: true,
    });
  return Object.fromEntries(parts.map((part, i) => [`crawl-${i + 1}`, crawl(part)]));
}

/** Seconds that a part of the long lane may take. */
const MOST_LONG_SECONDS = 360;

/** The parts of the long lane with the seconds to leave for each: what is kept of it and some more, else a guess. */
export const listLongParts = (kept) =>
  Object.entries(STEPS)
    .filter(([, { isLong }]) => isLong)
    .map(([name, { seconds = MOST_LONG_SECONDS }]) => {
      const known = kept.steps[name]?.seconds;
      return { name, seconds: known === undefined ? seconds : Math.ceil(known * 1.2 + 20) };
    });

/** Lanes of one row run side by side, the steps of a lane one after the other. The product as a whole has the machine to itself. */
export const ROWS = [
  [['lint']],
  [['types']],
  [['unit']],
  [['components']],
  [['integration'], ['window', 'face']],
  [['shares']],
  [['e2e']],
  [['attacks']],
  ...Object.keys(STEPS)
    .filter((name) => STEPS[name].isLong)
    .map((name) => [[name]]),
];

/** Commands of a step, or of one `file` of it alone; the report goes to `report`. */
export function commandsOf({ commands, runner, project, config, files = [], env = {} }, { report, file }) {
  if (commands) return commands.map((one) => ({ ...one, env }));
  const only = file ? [file] : files;
  if (runner === 'vitest') {
    const reporters = ['--reporter=default', '--reporter=./scripts/test/vitest-reporter.js', `--outputFile=${report}`];
    return [{ command: 'vitest', args: ['run', '--project', project, ...reporters, ...only], env }];
  }
  // Alone it waits for no other file's tests, and keeps what shows why it failed.
  const alone = file ? { args: ['--trace', 'retain-on-failure'], env: { SVC_TEST_ALONE: '1' } } : { args: [], env: {} };
  return [
    {
      command: 'playwright',
      args: ['test', '--config', config, ...alone.args, ...only],
      env: { ...env, ...alone.env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    },
  ];
}
