import { existsSync } from 'node:fs';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

/** Debian's Chromium where it is there; else the one that Playwright downloaded. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

/** The console's components in a real Chromium: rendered, clicked and typed into as by a person, without a server. */
export default defineConfig({
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
          args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
        },
        contextOptions: { timezoneId: 'Europe/Lisbon', locale: 'en-GB' },
      }),
      instances: [{ browser: 'chromium', viewport: { width: 1280, height: 900 } }],
    },
  },
});
