import { type APIRequestContext, expect, type Page, test } from '@playwright/test';
import { chromium } from '../env.ts';
import { running } from '../stack/running.ts';
import { startVisitedSite, type VisitedSite } from '../stack/visited-site.ts';

const { url } = running();
const APP = 'visited';
/** Another host than the other specs' sites have, so that no other incident is about it. */
const HOST = 'localhost';
const TEST = 'Health of the visited shop';
/** A verdict is made each minute, of what was seen until then. */
const JUDGED_MS = 150_000;
/** As many as the rule needs, and some more. */
const VISITS = 24;

// A driven browser is no visitor: the SDK never starts in one. This one does not say that it is driven.
test.use({
  launchOptions: {
    ...(chromium ? { executablePath: chromium } : {}),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-blink-features=AutomationControlled'],
  },
});

interface Row {
  app: string;
  host: string | null;
  verdict: string;
  views: number;
  sufficient: boolean;
}

async function rowOf(request: APIRequestContext): Promise<Row | undefined> {
  const answer = await request.get(`${url}/v1/rum?app=${APP}`);
  expect(answer.status()).toBe(200);
  const { verdicts } = (await answer.json()) as { verdicts: Row[] };
  return verdicts.find(({ app, host }) => app === APP && host === HOST);
}

const viewsOf = async (request: APIRequestContext): Promise<number> => (await rowOf(request))?.views ?? 0;
/** Beacons that were taken since the counting began. */
async function acceptedOf(request: APIRequestContext): Promise<number> {
  const { counters } = (await (await request.get(`${url}/v1/rum`)).json()) as { counters: { accepted: number } };
  return counters.accepted;
}

const verdictOf = async (request: APIRequestContext): Promise<string | undefined> => (await rowOf(request))?.verdict;

interface Signal {
  kind: string;
  target: string | null;
  recovered_at: string | null;
  incident_id: string | null;
}

async function signals(request: APIRequestContext): Promise<Signal[]> {
  const answer = await request.get(`${url}/v1/signals?order=newest`);
  expect(answer.status()).toBe(200);
  const { items } = (await answer.json()) as { items: Signal[] };
  return items.filter(({ target }) => target?.includes(HOST));
}

const ofUsers = async (request: APIRequestContext): Promise<string[]> =>
  (await signals(request)).map(({ kind }) => kind).filter((kind) => kind.startsWith('rum.'));

/** One visit of somebody who agrees, and leaves; `broken`: a script of the page fails meanwhile. */
async function visit(visitor: Page, site: VisitedSite, { broken }: { broken: boolean }): Promise<void> {
  await visitor.goto(site.page);
  await visitor.getByRole('button', { name: 'Agree' }).click();
  if (broken) await visitor.getByRole('button', { name: 'Break' }).click();
  await visitor.goto('about:blank');
}

/** Many visits that went well, as the same browser sends them. */
async function calmDown(request: APIRequestContext, key: string, count: number): Promise<void> {
  const beacon = { v: 1, key, consent: true, host: HOST, page: '/order/1', browser: 'chrome', vitals: { lcp_ms: 900 } };
  for (let sent = 0; sent < count; sent += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await request.post(`${url}/ingest/rum`, { data: beacon });
        expect(answer.status(), await answer.text()).toBe(202);
      }),
    );
}

/** Registered by a person in the console, who then looks at what the script would send before anybody is asked. */
async function registerApp(page: Page): Promise<{ key: string; snippet: string }> {
  await page.goto(`${url}/rum`);
  await page.getByRole('button', { name: 'Register an app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(APP);
  await dialog.getByRole('textbox', { name: 'Hosts that may send (optional)' }).fill(HOST);
  await dialog.getByRole('textbox', { name: 'Beacons per minute (optional)' }).fill('0');
  await dialog.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByRole('region', { name: 'Progress of the first beacon' })).toContainText('Waiting for the first beacon');
  const answer = await page.request.get(`${url}/v1/rum/apps`);
  const { items } = (await answer.json()) as { items: { name: string; snippet: string; keys: { key: string }[] }[] };
  const app = items.find(({ name }) => name === APP);
  return { key: app?.keys[0]?.key ?? '', snippet: app?.snippet ?? '' };
}

async function makeTest(request: APIRequestContext, site: VisitedSite): Promise<void> {
  const made = await request.post(`${url}/v1/tests`, {
    headers: { origin: url },
    data: { name: TEST, type: 'http', target: site.health, interval_seconds: 1, failing_after: 2, params: { family: 4 } },
  });
  expect(made.status(), await made.text()).toBe(201);
}

async function removeTest(request: APIRequestContext): Promise<void> {
  const { items } = (await (await request.get(`${url}/v1/tests`)).json()) as { items: { test: { id: string; name: string } }[] };
  for (const { test: found } of items)
    if (found.name === TEST) await request.delete(`${url}/v1/tests/${found.id}`, { headers: { origin: url } });
}

/** The page that shows what the script would send, to whoever registered it. */
async function tryScript(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Try it: what is sent' }).click();
  const does = page.getByRole('region', { name: 'What the script does' });
  const sample = page.frameLocator('iframe[title="Sample page"]');
  await expect(sample.getByRole('heading', { name: 'A sample page' })).toBeVisible();
  await page.getByRole('button', { name: 'Leave the page' }).click();
  await expect(does).toContainText('Without consent the script has done nothing, and sends nothing.');
  await expect(does).toContainText('Observers0Listeners0Timers0Cookies0Storage0Requests0');

  await page.getByRole('button', { name: 'Give consent' }).click();
  await sample.getByRole('button', { name: 'Throw a script error' }).click();
  await sample.getByRole('button', { name: 'Answer after 300 ms' }).click();
  await page.getByRole('button', { name: 'Leave the page' }).click();
  await expect(does).toContainText('1 beacon would have been sent.');
  await expect(does.getByRole('row', { name: /^page/ })).toContainText('/framed/rum-sample.html');
  await expect(does.getByRole('row', { name: /^consent/ })).toContainText('true');
  await expect(does.getByRole('row', { name: /^errors/ })).toContainText('1');
  await expect(does.getByRole('row', { name: /^vitals.lcp_ms/ })).toContainText(/\d/);
  await expect(does).toContainText('POST, text/plain, without cookies, without referrer');
  expect(await does.textContent()).not.toMatch(/4711|ana@shop|basket/);

  await page.getByRole('button', { name: 'Withdraw consent' }).click();
  await expect(does).toContainText('Observers0Listeners0');
  await page.getByRole('button', { name: 'Leave the page' }).click();
  await expect(does).toContainText('1 beacon would have been sent.');

  await page.getByRole('button', { name: 'With Global Privacy Control' }).click();
  await page.getByRole('button', { name: 'Give consent' }).click();
  await expect(page.getByText(/sends Global Privacy Control: the script never starts/)).toBeVisible();
  await page.getByRole('button', { name: 'Leave the page' }).click();
  await expect(does).toContainText('Observers0Listeners0Timers0Cookies0Storage0Requests0');
}

test('users of a site and its tests are joined: four verdicts, one incident, and nothing from who withdrew', async ({
  page,
  browser,
}) => {
  test.setTimeout(900_000);
  const { request } = page;
  const app = await registerApp(page);
  expect(app.snippet).toContain(app.key);
  await tryScript(page);

  const site = await startVisitedSite({ host: HOST, snippet: app.snippet });
  const elsewhere = await browser.newContext({ ignoreHTTPSErrors: true });
  const visitor = await elsewhere.newPage();
  try {
    await test.step('who does not agree, or withdraws, sends nothing', async () => {
      const before = await acceptedOf(request);
      await visitor.goto(site.page);
      await visitor.goto('about:blank');
      await visitor.goto(site.page);
      await visitor.getByRole('button', { name: 'Agree' }).click();
      await visitor.getByRole('button', { name: 'Withdraw' }).click();
      await visitor.goto('about:blank');
      expect(await acceptedOf(request)).toBe(before);
    });

    await test.step('the first beacon turns the waiting page into data within seconds', async () => {
      await page.goto(`${url}/rum/${APP}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Two lines left to paste');
      await visit(visitor, site, { broken: false });
      await expect(page.getByRole('heading', { level: 1 })).toContainText(`${APP} is measured`, { timeout: 5_000 });
    });

    await test.step('users hurt and no test sees it: they are alone in it', async () => {
      for (let count = 0; count < VISITS; count += 1) await visit(visitor, site, { broken: true });
      await expect.poll(() => viewsOf(request), { timeout: 20_000 }).toBeGreaterThanOrEqual(VISITS);
      await expect.poll(() => verdictOf(request), { timeout: JUDGED_MS, intervals: [2000] }).toBe('user_only_synthetic_blind');
      await expect.poll(() => ofUsers(request), { timeout: 20_000 }).toEqual(['rum.user_impact_unseen_by_synthetics']);
    });

    await test.step('the page says so in a sentence, both halves under it', async () => {
      await page.goto(`${url}/rum/${APP}/${HOST}`);
      await expect(page.getByRole('region', { name: 'Verdict' })).toContainText('Now: Users hurt, tests blind');
      await expect(page.getByRole('region', { name: 'Pages' })).toContainText('/order/:id');
      expect(await page.getByRole('main').textContent()).not.toMatch(/ana@example|Private title|private words/);
    });

    await test.step('a test fails too: confirmed, in the same incident', async () => {
      site.breakHealth();
      await makeTest(request, site);
      await expect.poll(() => verdictOf(request), { timeout: JUDGED_MS, intervals: [2000] }).toBe('user_impact_confirmed');
      await expect
        .poll(async () => (await ofUsers(request)).toSorted(), { timeout: 20_000 })
        .toEqual(['rum.user_impact_correlated', 'rum.user_impact_unseen_by_synthetics']);
      const open = (await signals(request)).filter(({ kind }) => kind === 'test.failing' || kind.startsWith('rum.'));
      expect(new Set(open.map(({ incident_id }) => incident_id)).size, JSON.stringify(open)).toBe(1);
    });

    await test.step('on the test’s page the users of its host are one click away', async () => {
      await page.goto(`${url}/tests?search=${encodeURIComponent(TEST)}`);
      await page.getByRole('link', { name: TEST }).click();
      const users = page.getByRole('region', { name: 'Real users of the same host' });
      await expect(users).toContainText(/hurt/);
      await users.getByRole('link', { name: HOST }).click();
      await expect(page.getByRole('region', { name: 'Verdict' })).toContainText('tests confirm');
    });

    await test.step('users are well again: the test alone is no signal of this plane', async () => {
      const before = (await ofUsers(request)).toSorted();
      await calmDown(request, app.key, 12 * VISITS);
      await expect
        .poll(() => verdictOf(request), { timeout: JUDGED_MS, intervals: [2000] })
        .toBe('synthetic_only_no_user_impact');
      expect((await ofUsers(request)).toSorted()).toEqual(before);
      await expect
        .poll(async () => (await signals(request)).filter((one) => one.kind.startsWith('rum.') && !one.recovered_at), {
          timeout: 60_000,
        })
        .toEqual([]);
    });

    await test.step('recovered, it warns again', async () => {
      const before = (await ofUsers(request)).length;
      for (let count = 0; count < 3 * VISITS; count += 1) await visit(visitor, site, { broken: true });
      await expect.poll(() => verdictOf(request), { timeout: JUDGED_MS, intervals: [2000] }).toBe('user_impact_confirmed');
      await expect.poll(async () => (await ofUsers(request)).length, { timeout: 20_000 }).toBeGreaterThan(before);
    });
  } finally {
    await removeTest(request);
    await elsewhere.close();
    await site.stop();
  }
});
