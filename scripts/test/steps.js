// The steps of npm test, and how a step or one file of it is started.
import { findWhyNoChromium } from '../chromium.js';
import { findWhyNoFaceTests } from '../face.js';

const FUZZ = 'server/src/features/otlp/wire/fuzz';

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
      ['biome', ['check', '--error-on-warnings']],
      ['node', ['scripts/test/check-retries.js']],
    ],
  },
  types: { title: 'Types', commands: [['turbo', ['run', 'types', '--ui=stream', '--output-logs=errors-only']]] },
  unit: vitest('unit', 'Unit tests'),
  integration: vitest('integration', 'Integration tests'),
  window: playwright('desktop-agent/renderer-e2e', "The agent's window in Chromium", { whyNot: findWhyNoChromium }),
  face: playwright('desktop-agent/e2e', "The agent's tray and window on a real Electron", { whyNot: findWhyNoFaceTests }),
  shares: vitest('shares', 'Fair shares of tenants, measured with nothing beside them'),
  e2e: playwright('e2e', 'End to end in Chromium', { whyNot: findWhyNoChromium }),
  attacks: attacks('attacks', 'Attacks on the started product, the short ones'),
  peers: vitest('peers', 'Exporters of other languages, and the snippets that people copy', { isLong: true }),
  packages: vitest('packages', 'The agent as it is installed', { isLong: true }),
  cost: vitest('cost', 'What the agent costs over minutes', { isLong: true }),
  fuzz: vitest('unit', 'Fuzzing of OTLP, a minute for each signal', {
    files: [FUZZ],
    env: { SVC_TEST_FUZZ_SECONDS: '60' },
    isLong: true,
  }),
  'attacks-long': attacks('attacks-long', 'Attacks on the started product, the long ones', { isLong: true }),
  crawl: playwright('e2e', 'All walks through the console in Chromium', {
    projectArgs: ['--project', 'demo'],
    env: { SVC_TEST_CRAWL: 'all' },
    whyNot: findWhyNoChromium,
    isLong: true,
  }),
};

/** Lanes of one row run side by side, the steps of a lane one after the other. The product as a whole has the machine to itself. */
export const ROWS = [
  [['lint']],
  [['types']],
  [['unit']],
  [['integration'], ['window', 'face']],
  [['shares']],
  [['e2e']],
  [['attacks']],
  ...Object.keys(STEPS)
    .filter((name) => STEPS[name].isLong)
    .map((name) => [[name]]),
];

/** Commands of a step, or of one `file` of it alone; the report goes to `report`. */
export function commandsOf({ commands, runner, project, config, projectArgs = [], files = [], env = {} }, { report, file }) {
  if (commands) return commands.map(([command, args]) => ({ command, args, env }));
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
      args: ['test', '--config', config, ...projectArgs, ...alone.args, ...only],
      env: { ...env, ...alone.env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    },
  ];
}
