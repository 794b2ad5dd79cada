import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS } from '../../scripts/test/chromium-args.ts';

/** Debian's Chromium where it is there; else the one that Playwright downloaded. */
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

/** The agent's window in real Chromium, over a bridge whose answers parse with the contract. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/window',
  workers: 1,
  forbidOnly: true,
  timeout: 30_000,
  expect: { timeout: 5000 },
  reporter: [['list'], ['json', { outputFile: '../../test-results/window.json' }]],
  use: {
    // The size in which main opens it.
    viewport: { width: 400, height: 620 },
    timezoneId: 'Europe/Lisbon',
    locale: 'en-GB',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: CHROMIUM_ARGS,
    },
  },
});
