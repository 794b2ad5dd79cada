import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Browser } from '@playwright/test';
import { freePort } from '@svc/testkit/free-port';
import { cleanEnv, root } from '../env.ts';

const READY_LIMIT_MS = 600_000;
const PASSWORD = 'a long password for pictures';

/** A demo of its own; gives the link that makes its administrator, the page of its providers, and what ends it. */
export async function startDemo(dataDir: string) {
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
  const providers = /Its providers.*(https:\S+)/.exec(output)?.[1];
  if (!link || !providers) throw new Error('the demo printed no link for its administrator, or no page of its providers');
  const stop = async () => {
    if (child.exitCode !== null || !child.pid) return;
    process.kill(-child.pid, 'SIGINT');
    await once(child, 'close');
  };
  return { link, providers, stop };
}

/** Becomes the administrator; gives the session. */
export async function claim(browser: Browser, link: string) {
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  await page.goto(link);
  await page.getByLabel('E-mail').fill('ana.duarte@fennmark.example');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password once more').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByRole('navigation').first().waitFor();
  return page.context().storageState();
}
