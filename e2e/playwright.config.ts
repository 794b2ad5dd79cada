import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS } from '../scripts/test/chromium-args.ts';
import { chromium, followsUsers, measuresInteractions, runsOneFile } from './env.ts';

/** In the long lane alone. */
const LONG = 'interaction.spec.ts';

/** Over the simulated fleet and shop of `npm run demo`. */
const OVER_THE_DEMO = [
  'crawler.spec.ts',
  'demo.spec.ts',
  LONG,
  'loads.spec.ts',
  'lighthouse.spec.ts',
  'tasks-fleet.spec.ts',
  'tasks-services.spec.ts',
];

/** They need what the tests of the console left behind. */
const BEHIND_THE_CONSOLE = ['topology.spec.ts', 'employee.spec.ts', 'lifecycle.spec.ts'];

/** What runs in one go, one file after the other: the tests of a tenant know what the ones before them left. */
const LANE = { workers: 1 };

/**
 * One product for the whole run, claimed by the first project; the others reuse its session. Two lanes, each in a tenant of its own: the
 * console's, whose later projects follow it, and the demo's.
 */
export default defineConfig({
  testDir: './tests',
  outputDir: '../test-results/e2e',
  globalSetup: './stack/global-setup.ts',
  globalTeardown: './stack/global-teardown.ts',
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: '../test-results/e2e.json' }]],
  use: {
    ignoreHTTPSErrors: true,
    viewport: { width: 1440, height: 1200 },
    timezoneId: 'Europe/Lisbon',
    locale: 'en-GB',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [...CHROMIUM_ARGS, '--disable-quic'],
    },
  },
  projects: [
    { ...LANE, name: 'first-run', testMatch: 'first-run.spec.ts' },
    {
      ...LANE,
      name: 'console',
      testIgnore: [
        'first-run.spec.ts',
        ...BEHIND_THE_CONSOLE,
        ...OVER_THE_DEMO,
        ...(runsOneFile ? ['otlp.spec.ts'] : []),
        ...(followsUsers ? [] : ['rum.spec.ts']),
      ],
      dependencies: ['first-run'],
      use: { storageState: 'test-results/admin.json' },
    },
    // What the map draws; where one file runs alone, the map needs it all the same.
    ...(runsOneFile
      ? [
          {
            ...LANE,
            name: 'otlp',
            testMatch: 'otlp.spec.ts',
            dependencies: ['first-run'],
            use: { storageState: 'test-results/admin.json' },
          },
        ]
      : []),
    // Minutes are computed once they are over: by now those of otlp.spec.ts are, and nobody waits for them.
    {
      ...LANE,
      name: 'map',
      testMatch: 'topology.spec.ts',
      dependencies: [runsOneFile ? 'otlp' : 'console'],
      use: { storageState: 'test-results/admin.json' },
    },
    // In a tenant of its own, which is filled when the first of them begins.
    {
      ...LANE,
      name: 'demo',
      testMatch: OVER_THE_DEMO.filter((file) => measuresInteractions || file !== LONG),
      dependencies: ['first-run'],
    },
    // A second device: after the tests that know of one.
    {
      ...LANE,
      name: 'employee',
      testMatch: 'employee.spec.ts',
      dependencies: [runsOneFile ? 'first-run' : 'console'],
      use: { storageState: 'test-results/admin.json' },
    },
    // It measures a start: after everything else.
    {
      ...LANE,
      name: 'lifecycle',
      testMatch: 'lifecycle.spec.ts',
      dependencies: runsOneFile ? ['first-run'] : ['employee', 'demo'],
    },
  ],
});
