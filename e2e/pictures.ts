// Takes the pictures of the console in the README anew, of the demo: node --conditions=svc-source e2e/pictures.ts
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type Page, chromium as playwright } from '@playwright/test';
import { freePort } from '@svc/testkit/free-port';
import { chromium, cleanEnv, root } from './env.ts';

const READY_LIMIT_MS = 600_000;
const MAP_LIMIT_MS = 240_000;
const PASSWORD = 'a long password for pictures';

type Theme = 'light' | 'dark';

interface Picture {
  themes: readonly Theme[];
  /** Goes there from the fleet page. */
  open(page: Page): Promise<void>;
}

const PICTURES: Readonly<Record<string, Picture>> = {
  fleet: { themes: ['light', 'dark'], open: (page) => follow(page, 'Fleet') },
  device: {
    themes: ['light', 'dark'],
    // The worst first: a device that is slow.
    open: async (page) => {
      await follow(page, 'Fleet');
      await page.getByRole('row').nth(1).getByRole('link').first().click();
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  },
  map: {
    themes: ['light'],
    // Its minutes are computed once they are over and settled.
    open: async (page) => {
      await follow(page, 'Service map');
      await page.getByRole('heading', { level: 2, name: 'Connections' }).waitFor({ timeout: MAP_LIMIT_MS });
    },
  },
  traces: {
    themes: ['dark'],
    // The lines of the quantiles come after the points.
    open: async (page) => {
      await follow(page, 'Traces');
      await page.getByText(/p50.*p99/).waitFor();
    },
  },
};

const follow = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name }).first().click();

async function startDemo(dataDir: string) {
  const http = await freePort();
  const grpc = await freePort();
  const child = spawn('npm', ['run', 'demo', '--silent'], {
    cwd: root,
    env: cleanEnv({
      SVC_DATA_DIR: dataDir,
      SVC_LISTEN_ADDR: `127.0.0.1:${http}`,
      SVC_AGENT_GRPC_ADDR: `127.0.0.1:${grpc}`,
      SVC_AGENT_PUBLIC_ADDR: `localhost:${grpc}`,
      SVC_PUBLIC_URL: `https://localhost:${http}`,
      SVC_OTLP_GRPC_ADDR: `127.0.0.1:${await freePort()}`,
      SVC_OTLP_HTTP_ADDR: `127.0.0.1:${await freePort()}`,
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    process.stdout.write(chunk);
  });
  const limit = Date.now() + READY_LIMIT_MS;
  while (!/^Stop\s+Ctrl-C/m.test(output)) {
    if (child.exitCode !== null || Date.now() > limit) throw new Error('the demo did not become ready');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const link = /https:\S+\/auth\/claim\S*/.exec(output)?.[0];
  if (!link) throw new Error('the demo printed no link for its administrator');
  const stop = async () => {
    if (child.exitCode !== null || !child.pid) return;
    process.kill(-child.pid, 'SIGINT');
    await once(child, 'close');
  };
  return { link, stop };
}

async function claim(browser: Browser, link: string) {
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  await page.goto(link);
  await page.getByLabel('E-mail').fill('ana.duarte@fennmark.example');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password once more').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByRole('navigation').first().waitFor();
  return page.context().storageState();
}

const dataDir = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
const demo = await startDemo(dataDir);
const browser = await playwright.launch({
  ...(chromium && { executablePath: chromium }),
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'],
});
try {
  const storageState = await claim(browser, demo.link);
  for (const [name, { themes, open }] of Object.entries(PICTURES))
    for (const theme of themes) {
      const context = await browser.newContext({
        ...{ ignoreHTTPSErrors: true, storageState, colorScheme: theme },
        ...{ viewport: { width: 1440, height: 1200 }, timezoneId: 'Europe/Lisbon', locale: 'en-GB' },
      });
      const page = await context.newPage();
      await page.goto(new URL('/', demo.link).href);
      await open(page);
      // What is drawn after its data have come, and the pointer's hover gone.
      await page.mouse.move(0, 0);
      await page.waitForTimeout(3000);
      await page.screenshot({ path: join(root, 'docs', 'images', `${name}-${theme}.png`) });
      await context.close();
    }
} finally {
  await browser.close();
  await demo.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
