import { expect, type Page, test } from '@playwright/test';
import { startBreakableSite } from '../stack/breakable-site.ts';
import { running } from '../stack/running.ts';
import { DEPLOY, makeHook, readShown, tellChange, tellOfDeploy } from '../stack/send-change.ts';
import { openSender } from '../stack/send-telemetry.ts';
import { FIRST_RUN_MS, findIncident, makeTest, removeTests } from '../stack/watch.ts';

const { url } = running();
/** A host of its own, so that no other spec's incident is about the same. */
const HOST = 'deployed.localhost';
const SERVICE = 'deployed-shop';
const NAMES = ['Deployed shop', 'Its basket'] as const;
/** Of spans that are needed for an operation to be judged, and some more. */
const SPANS = 15;
const LIVE_MS = 10_000;

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

test('a webhook waits for its first delivery, says why one was refused, and is rotated with an overlap', async ({ page }) => {
  const name = 'Runbook';
  const hook = await makeHook(page, { sender: 'A program of your own', name });
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('status')).toHaveText('Waiting for the first delivery');
  const change = {
    kind: 'config',
    title: 'Cache of the shop',
    target: 'elsewhere.example',
    occurred_at: new Date().toISOString(),
  };
  expect(await tellChange(page, { ...hook, secret: 'another' }, change)).toBe(401);
  await expect(dialog.getByRole('status')).toContainText('signed with another secret, or changed on its way', {
    timeout: LIVE_MS,
  });
  expect(await tellChange(page, hook, change)).toBe(202);
  await expect(dialog.getByRole('status')).toContainText('Its first delivery is here: 1 change.', { timeout: LIVE_MS });
  await dialog.getByRole('link', { name: 'See all of them' }).click();

  const refused = page.getByRole('region', { name: 'Refused' });
  await expect(refused.getByRole('row', { name: /Signed with another secret/ })).toContainText(
    'Rotate, and copy the new secret.',
  );
  await expect(page.getByRole('region', { name: 'Last deliveries' })).toContainText('1 change');
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const next = await readShown(page, name);
  expect(next.secret).not.toBe(hook.secret);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('Former secret')).toBeVisible();
  for (const [index, secret] of [hook.secret, next.secret].entries())
    expect(await tellChange(page, { ...hook, secret }, { ...change, id: `${index}` })).toBe(202);
  await expect(page.getByRole('region', { name: 'Last deliveries' }).getByText('1 change', { exact: true })).toHaveCount(3);
});

const hex = (bytes: number): string =>
  Array.from({ length: bytes * 2 }, () => Math.floor(Math.random() * 16).toString(16)).join('');

/** Requests that the shop answered, each in a trace of its own. */
function spansOf(isFailing: boolean): object {
  const at = Date.now();
  const spans = Array.from({ length: SPANS }, (_, index) => ({
    ...{ traceId: hex(16), spanId: hex(8), name: 'GET /health', kind: 2 },
    ...{ startTimeUnixNano: `${at + index}000000`, endTimeUnixNano: `${at + index + 20}000000` },
    attributes: [{ key: 'server.address', value: { stringValue: HOST } }],
    status: { code: isFailing ? 2 : 0 },
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: SERVICE } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}

/** Planes whose evidence the explanation cites, by the page that it links to. */
async function citedPages(page: Page, incident: string): Promise<string[]> {
  const answer = await page.request.get(`${url}/v1/incidents/${incident}/rca`);
  expect(answer.status()).toBe(200);
  const { hypotheses, evidence } = (await answer.json()) as {
    hypotheses: { parts: { evidence: string }[] }[];
    evidence: { id: string; link: { page: string } }[];
  };
  const cited = new Set(hypotheses[0]?.parts.map((part) => part.evidence));
  return [...new Set(evidence.filter(({ id }) => cited.has(id)).map(({ link }) => link.page))].toSorted();
}

test('a deployment that GitHub tells of is the first cause of the incident that follows, cited beside test and traces', async ({
  page,
}) => {
  const site = await startBreakableSite();
  try {
    const hook = await makeHook(page, { sender: 'GitHub', name: 'Deployed on GitHub' });
    const send = await openSender(page, { url, name: SERVICE });
    const target = site.url.replace('127.0.0.1', HOST);
    // The second one fails later: what came meanwhile is then looked at again.
    for (const [index, name] of NAMES.entries()) await makeTest(page, { name, target, failingAfter: index === 0 ? 2 : 8 });
    await send('traces', spansOf(false));
    await page.goto(`${url}/tests?search=${encodeURIComponent(NAMES[0])}`);
    await expect(row(page, NAMES[0])).toContainText('Passing', { timeout: FIRST_RUN_MS });

    await tellOfDeploy(page, hook, `http://${HOST}/`);
    site.break();
    await expect.poll(() => findIncident(page, HOST), { intervals: [200] }).toBeDefined();
    const incident = (await findIncident(page, HOST)) ?? '';
    // Since the harm began: what failed before it would be as usual.
    await send('traces', spansOf(true));

    await page.goto(`${url}/incidents/${incident}`);
    const causes = page.getByRole('region', { name: 'What changed before' });
    await expect(causes.getByRole('listitem').first()).toContainText(DEPLOY);
    await expect(causes.getByRole('listitem').first()).toContainText('exact target 1.0 x 0.6 + ');
    // One deployment, whatever it was told of by.
    await expect(causes.getByRole('listitem')).toHaveCount(1);
    await expect(
      page.getByRole('img', { name: new RegExp(`^1 change: Change \\d+: ${DEPLOY.replace(/[()]/g, '\\$&')}`) }),
    ).toBeVisible();

    await expect.poll(() => citedPages(page, incident), { timeout: 30_000 }).toEqual(['change', 'test', 'traces']);
    await page.reload();
    const panel = page.getByRole('region', { name: 'Root cause' });
    await expect(panel).toContainText(DEPLOY);
    for (const name of ['Test', 'Traces', 'Changes of this time'])
      await expect(panel.getByRole('link', { name, exact: true }).first()).toBeVisible();

    await causes.getByRole('button', { name: /^This caused it/ }).click();
    await expect(causes.getByText('Marked as the cause')).toBeVisible();
    await causes.getByRole('button', { name: /^Rule it out/ }).click();
    await expect(causes.getByText('Ruled out', { exact: true })).toBeVisible();
    await expect(causes.getByRole('listitem').first()).toContainText(DEPLOY);
  } finally {
    await removeTests(page, NAMES);
    await site.stop();
  }
});
