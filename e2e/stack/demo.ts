import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Browser, type BrowserContext, test as base, type Page } from '@playwright/test';
import type { ROLES, Role } from '@svc/contracts/permissions';
import { cleanEnv, root } from '../env.ts';
import { running } from './running.ts';

export const PASSWORD = 'a long enough password';
const PEOPLE = ['admin', 'it_admin', 'viewer', 'auditor'] as const satisfies readonly (typeof ROLES)[number][];
export type Person = (typeof PEOPLE)[number];

/** Few enough to be there within seconds, enough for each verdict; their last hours hold the minutes that the map needs. */
export const DEVICES = 24;
const HOURS = 3;
const READY_LIMIT_MS = 120_000;

export const emailOf = (person: Person): string => `${person}@fennmark.test`;

/** What a browser holds of somebody who is signed in; Playwright's `storageState` takes it. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** The tenant of `npm run demo` on the running product, and who reads it. */
export interface Demo {
  url: string;
  /** Signed in, by role. */
  people: Record<Person, Session>;
}

async function waitForLink(child: ChildProcess): Promise<string> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => {
      output += part.toString();
    });
  const limit = Date.now() + READY_LIMIT_MS;
  for (;;) {
    const link = /^Stop\s+Ctrl-C/m.test(output) && /https:\S+\/auth\/claim\S*/.exec(output)?.[0];
    if (link) return link;
    if (child.exitCode !== null || Date.now() > limit) throw new Error(`The demo did not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Uses a link that joins a tenant, and leaves the page on the console. */
async function join(page: Page, { link, person }: { link: string; person: Person }): Promise<void> {
  await page.goto(link);
  await page.getByLabel('E-mail').fill(emailOf(person));
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  const again = page.getByLabel('Password once more');
  // An account of an earlier worker proves itself instead.
  if (await again.isVisible()) await again.fill(PASSWORD);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

async function invite(page: Page, role: Role): Promise<string> {
  const { origin } = new URL(page.url());
  const answer = await page.request.post(`${origin}/v1/members/invites`, { data: { roles: [role] }, headers: { origin } });
  if (!answer.ok()) throw new Error(`Inviting was answered ${answer.status()}: ${await answer.text()}`);
  return ((await answer.json()) as { url: string }).url;
}

async function signInAll(browser: Browser, claimLink: string): Promise<Demo['people']> {
  const people: Partial<Demo['people']> = {};
  const first = await browser.newPage({ ignoreHTTPSErrors: true });
  await join(first, { link: claimLink, person: 'admin' });
  for (const person of PEOPLE) {
    const page = person === 'admin' ? first : await browser.newPage({ ignoreHTTPSErrors: true });
    if (person !== 'admin') await join(page, { link: await invite(first, person), person });
    people[person] = await page.context().storageState();
    if (person !== 'admin') await page.context().close();
  }
  await first.context().close();
  return people as Demo['people'];
}

/** Tests over the simulated fleet and shop, started once a worker and stopped after it. */
export const test = base.extend<object, { demo: Demo }>({
  demo: [
    async ({ browser }, use) => {
      const { url, dataDir } = running();
      const args = ['scripts/demo.js', '--devices', String(DEVICES), '--hours', String(HOURS)];
      const child = spawn(process.execPath, args, {
        cwd: root,
        env: cleanEnv({ SVC_DATA_DIR: dataDir, SVC_PUBLIC_URL: url }),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const ended = once(child, 'close');
      try {
        await use({ url, people: await signInAll(browser, await waitForLink(child)) });
      } finally {
        if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGINT');
        await ended;
      }
    },
    { scope: 'worker', timeout: READY_LIMIT_MS + 60_000 },
  ],
});
