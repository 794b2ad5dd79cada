import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { CHROMIUM_ARGS } from '../scripts/test/chromium-args.ts';

/** Debian's Chromium where it is there; else the one that Playwright downloaded. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

/** The newest release of the script that visitors get, which a page of the console tries; the server has it at the same address. */
const visitorScript = (): Buffer => {
  const folder = join(import.meta.dirname, '../rum-sdk/releases');
  const newest = globSync('*.js', { cwd: folder })
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
  return readFileSync(join(folder, newest ?? ''));
};

/** The console's components in a real Chromium: rendered, clicked and typed into as by a person, without a server. */
export default defineConfig({
  plugins: [
    {
      name: 'visitor-script',
      configureServer: ({ middlewares }) => {
        middlewares.use('/rum.js', (_, answer) => {
          answer.setHeader('content-type', 'text/javascript');
          answer.end(visitorScript());
        });
      },
    },
  ],
  // Vite looks for packages while the first test runs, and reloads its page for each that it finds: it gets them named instead.
  optimizeDeps: {
    include: [
      '@mantine/core',
      '@mantine/hooks',
      '@tanstack/react-query',
      '@tanstack/react-router',
      '@tanstack/react-table',
      '@trpc/client',
      'axe-core',
      'react',
      'react-dom',
      'react-dom/client',
      'react/jsx-dev-runtime',
      'react/jsx-runtime',
      'uplot',
      'vitest-browser-react',
    ],
  },
  test: {
    name: 'components',
    include: ['src/**/*.browser.test.tsx'],
    setupFiles: ['src/testing/set-up.ts'],
    testTimeout: 10_000,
    sequence: { groupOrder: 3 },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          ...(executablePath ? { executablePath } : {}),
          args: CHROMIUM_ARGS,
        },
        contextOptions: { timezoneId: 'Europe/Lisbon', locale: 'en-GB' },
      }),
      instances: [{ browser: 'chromium', viewport: { width: 1280, height: 900 } }],
    },
  },
});
