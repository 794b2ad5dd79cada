import { expect, type Page, test } from '@playwright/test';
import { type BreakableSite, startBreakableSite } from '../stack/breakable-site.ts';
import { running } from '../stack/running.ts';
import { openSender } from '../stack/send-telemetry.ts';

const { url } = running();
const headers = { origin: url };
/** Hosts of this file alone, which lead to this machine. */
const HOSTS = ['cart', 'stock', 'search', 'mail'].map((name) => `${name}.unwatched.localhost`);

interface Listed {
  test: { id: string; target: string };
}

async function testsAbout(page: Page, site: BreakableSite): Promise<Listed['test'][]> {
  const { items } = (await (await page.request.get(`${url}/v1/tests`)).json()) as { items: Listed[] };
  const { port } = new URL(site.url);
  return items.map(({ test: found }) => found).filter(({ target }) => target.includes(`:${port}/`));
}

/** Nothing is measured behind this file's back in those that follow. */
async function removeTests(page: Page, site: BreakableSite): Promise<void> {
  for (const { id } of await testsAbout(page, site)) await page.request.delete(`${url}/v1/tests/${id}`, { headers });
}

test('words become a proposal, are tried and created by a person, and have a first result; ambiguity is asked back', async ({
  page,
}) => {
  const site = await startBreakableSite();
  try {
    await page.goto(`${url}/tests`);
    await page.getByRole('button', { name: 'Describe what to watch' }).click();
    const drawer = page.getByRole('complementary', { name: 'New test' });
    const words = drawer.getByRole('textbox', { name: 'Describe what to watch' });

    await words.fill('watch 127.0.0.1');
    await words.press('Enter');
    await expect(drawer.getByRole('alert')).toContainText('What of 127.0.0.1 shall be tested: ping or TCP 443?');
    await drawer.getByRole('button', { name: 'tcp 127.0.0.1:443' }).click();
    await expect(drawer.getByRole('textbox', { name: 'Target' })).toHaveValue('127.0.0.1:443');
    const asked = await page.request.post(`${url}/v1/ai/author`, { headers, data: { prompt: 'watch 127.0.0.1' } });
    expect(asked.status()).toBe(422);
    expect(await asked.json()).toMatchObject({
      code: 'cannot_author',
      choices: [{ test: { type: 'icmp' } }, { test: { type: 'tcp' } }],
    });

    await words.fill(`prüfe jede Sekunde, ob ${site.url} mit 200 antwortet und "open" enthält`);
    await drawer.getByRole('button', { name: 'Propose' }).click();
    await expect(drawer.getByText(/Written by rules/)).toBeVisible();
    await expect(drawer.getByRole('textbox', { name: 'Target' })).toHaveValue(site.url);
    await expect(drawer.getByRole('textbox', { name: 'Every' })).toHaveValue('1 s');
    await drawer.getByRole('button', { name: 'Try it' }).click();
    await expect(drawer.getByRole('region', { name: 'Dry run' })).toContainText('would pass: total');
    expect(await testsAbout(page, site), 'neither words nor a dry run make a test').toEqual([]);

    await drawer.getByRole('button', { name: 'Create test' }).click();
    await expect(drawer).toBeHidden();
    await expect(page.getByRole('region', { name: 'Latest runs' }).getByRole('row').nth(1)).toContainText('ms');
    expect(await testsAbout(page, site)).toMatchObject([{ target: site.url }]);
  } finally {
    await removeTests(page, site);
    await site.stop();
  }
});

const hex = (bytes: number): string =>
  Array.from({ length: bytes * 2 }, () => Math.floor(Math.random() * 16).toString(16)).join('');

/** A request that a service took under this name. */
function servedAt(host: string, port: string): object {
  const at = Date.now();
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const span = {
    ...{ traceId: hex(16), spanId: hex(8), name: 'GET /health', kind: 2 },
    ...{ startTimeUnixNano: `${at}000000`, endTimeUnixNano: `${at + 20}000000` },
    attributes: [
      ...[text('server.address', host), text('server.port', port), text('url.scheme', 'http')],
      text('http.request.method', 'GET'),
    ],
  };
  const resource = { attributes: [text('service.name', host.split('.')[0] ?? host)] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
}

/** Of the hosts of this file, those that are proposed. */
async function discovered(page: Page): Promise<string[]> {
  const answer = await page.request.post(`${url}/v1/ai/discover`, { headers });
  const { items } = (await answer.json()) as { items: { host: string }[] };
  return items.map(({ host }) => host).filter((host) => HOSTS.includes(host));
}

test('what nobody watches is dismissed, taken back, and taken by three through one review', async ({ page }) => {
  const site = await startBreakableSite();
  try {
    const { port } = new URL(site.url);
    const send = await openSender(page, { url, name: 'unwatched' });
    for (const host of HOSTS) await send('traces', servedAt(host, port));
    await expect.poll(async () => (await discovered(page)).length, { intervals: [250] }).toBe(HOSTS.length);

    await page.goto(`${url}/tests`);
    await page.getByRole('link', { name: 'Not watched yet' }).click();
    const [first = '', ...three] = HOSTS;
    const row = page.getByRole('listitem').filter({ hasText: `http://${first}:${port}/` });
    await expect(row).toContainText('The service cart answers there: 1 call within a quarter of an hour.');
    await page.getByRole('button', { name: `Dismiss ${first}` }).click();
    await expect(row).toBeHidden();
    await page.reload();
    await expect(page.getByRole('button', { name: `Take back ${first}` })).toBeVisible();
    await expect(row).toBeHidden();
    await page.getByRole('button', { name: `Take back ${first}` }).click();
    await expect(row).toBeVisible();

    for (const host of three) await page.getByRole('checkbox', { name: `Take ${host}` }).click();
    await page.getByRole('button', { name: 'Review 3' }).click();
    const review = page.getByRole('dialog', { name: 'Create these 3 tests?' });
    for (const host of three) await expect(review).toContainText(`http://${host}:${port}/`);
    expect(await testsAbout(page, site), 'a review makes no test').toEqual([]);
    await review.getByRole('button', { name: 'Create 3 tests' }).click();
    await expect(review).toBeHidden();
    const made = await testsAbout(page, site);
    expect(made.map(({ target }) => new URL(target).hostname).sort()).toEqual([...three].sort());
    expect(await discovered(page)).toEqual([first]);
  } finally {
    await removeTests(page, site);
    await site.stop();
  }
});
