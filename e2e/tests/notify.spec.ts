import { expect, type Page, test } from '@playwright/test';
import type { Kind } from '@svc/testkit/providers/demo/all';
import { startBreakableSite } from '../stack/breakable-site.ts';
import { type Providers, startProviders } from '../stack/providers.ts';
import { running } from '../stack/running.ts';
import { DEPLOY, makeHook, tellOfDeploy } from '../stack/send-change.ts';
import { FIRST_RUN_MS, findIncident, makeTest, removeTests } from '../stack/watch.ts';

const { url } = running();
/** A host of its own, so that no other spec's incident is about the same. */
const HOST = 'told.localhost';
const NAME = 'Shop that others are told of';

/** How each calls what was opened there. */
const OPENED: Readonly<Record<Kind, RegExp>> = {
  ...{ pager_a: /Paged/, pager_b: /Paged/, chat_a: /Posted/, chat_b: /Posted/ },
  ...{ ticket_a: /Opened INC\d+/, ticket_b: /Opened OPS-1/, webhook: /Called/ },
};
/** Teams has no place for a key, and can change nothing that was posted: what is over is another post. */
const isKeyless = (kind: Kind): boolean => kind === 'chat_b';

const told = (page: Page) => page.getByRole('region', { name: 'Who was told' }).getByRole('listitem');

/** What people of each provider see of the incident: their own objects, by our key where there is a place for one. */
const objectsAt = ({ all }: Providers, incident: string) =>
  (Object.entries(all) as [Kind, Providers['all'][Kind]][]).map(([kind, provider]) => ({
    kind,
    objects: provider.objects().filter(({ key }) => isKeyless(kind) || key === `svc-${incident}`),
  }));

/** Calls that write, of those from a moment on. */
const writesTo = ({ all }: Providers, kind: Kind): number => all[kind].calls.filter(({ method }) => method !== 'GET').length;

test('an incident that a deployment caused is told to each provider once; resolved in one, it is resolved everywhere and not echoed', async ({
  page,
}) => {
  const site = await startBreakableSite();
  const providers = await startProviders();
  const kinds = providers.connectors.map(({ provider }) => provider);
  const nameOf = (kind: Kind): string => providers.connectors.find(({ provider }) => provider === kind)?.name ?? kind;
  try {
    await providers.connect(page, HOST);
    const hook = await makeHook(page, { sender: 'GitHub', name: 'Deploys that are told of' });
    await makeTest(page, { name: NAME, target: site.url.replace('127.0.0.1', HOST), failingAfter: 2 });
    await page.goto(`${url}/tests?search=${encodeURIComponent(NAME)}`);
    await expect(page.getByRole('row', { name: NAME })).toContainText('Passing', { timeout: FIRST_RUN_MS });
    await tellOfDeploy(page, hook, `http://${HOST}/`);
    site.break();
    await expect.poll(() => findIncident(page, HOST), { intervals: [200] }).toBeDefined();
    const incident = (await findIncident(page, HOST)) ?? '';

    await page.goto(`${url}/incidents/${incident}`);
    const first = page.getByRole('region', { name: 'What changed before' }).getByRole('listitem').first();
    await expect(first).toContainText(DEPLOY);
    await expect(first).toContainText('exact target 1.0');
    await expect(told(page)).toHaveCount(kinds.length);
    for (const kind of kinds) {
      const item = told(page).filter({ hasText: nameOf(kind) });
      await expect(item).toContainText(OPENED[kind]);
      await expect(item.getByText('open', { exact: true }).or(item.getByText('accepted', { exact: true }))).toBeVisible();
    }
    for (const { kind, objects } of objectsAt(providers, incident)) {
      expect(objects, kind).toMatchObject([{ state: 'open', lines: [] }]);
      expect(`${objects[0]?.title} ${objects[0]?.text}`, kind).toContain(NAME);
    }

    // Somebody of the service desk closes the ticket; from here on ServiceNow has to be told nothing.
    const [ticket] = providers.all.ticket_a.objects();
    const writes = writesTo(providers, 'ticket_a');
    await providers.all.ticket_a.act(ticket?.id ?? '', 'resolve');
    await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible();
    for (const kind of kinds)
      await expect(
        told(page)
          .filter({ hasText: nameOf(kind) })
          .getByText('resolved', { exact: true }),
      ).toBeVisible();
    await expect(told(page).filter({ hasText: nameOf('ticket_a') })).toContainText('resolved there first');
    for (const { kind, objects } of objectsAt(providers, incident))
      if (isKeyless(kind)) expect(objects, kind).toHaveLength(2);
      else expect(objects, kind).toMatchObject([{ state: 'resolved' }]);
    expect(writesTo(providers, 'ticket_a'), 'ServiceNow is told what it told us').toBe(writes);
    for (const kind of kinds) expect(providers.all[kind].breaches, kind).toEqual([]);

    await page.goto(`${url}/notify/outbox?incident=${incident}`);
    const resolved = page.getByRole('row', { name: /Resolved/ });
    await expect(resolved).toHaveCount(kinds.length);
    await expect(resolved.filter({ hasText: nameOf('ticket_a') })).toContainText('it came from there');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Everything was said that had to be.');
    await page.goto(`${url}/notify`);
    for (const kind of kinds) await expect(page.getByRole('row', { name: nameOf(kind) })).toContainText('Answering');
    await page.goto(`${url}/notify/inbound`);
    await page.getByRole('link', { name: nameOf('ticket_a') }).click();
    const deliveries = page.getByRole('region', { name: 'Last deliveries' });
    await expect(deliveries.getByRole('row').filter({ hasText: 'Resolved' })).toHaveCount(1);
  } finally {
    await removeTests(page, [NAME]);
    await providers.stop(page);
    await site.stop();
  }
});
