import { defineConfig } from '@playwright/test';

/** The face on a real Electron under a real desktop; one after the other, for each has a screen, a bus and a service of its own. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../../test-results/face',
  globalSetup: './global-setup.ts',
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: '../../test-results/face.json' }]],
});
