import { expect, type Locator, type Page } from '@playwright/test';
import { chooseRange, pageLink } from '../tasks/person.ts';
import { play, type Seat, test } from '../tasks/task-test.ts';
import { TASKS } from '../tasks/tasks.ts';

test.use({ role: 'viewer' });

const MINUTE_MS = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

interface FoundTrace {
  trace_id: string;
  started_at: string;
  root: { duration_ms: number };
}
interface Scatter {
  total: number;
  errors: number;
}
interface Topology {
  nodes: { id: string; name: string }[];
  edges: { source: string; target: string; errors: number; error_ratio: number | null }[];
}

const found = (page: Page): Locator => page.getByRole('region', { name: 'Found' });
const head = (page: Page): Locator => page.getByRole('heading', { level: 1 });
const openTrace = (page: Page): string => /\/traces\/([0-9a-f]{32})/.exec(page.url())?.[1] ?? '';

/** The log records of a trace stand on its page, each with its words. */
async function expectLogs({ ask, person }: Seat, id: string): Promise<void> {
  const { items } = await ask<{ items: { body: string }[] }>('traces.logs', { id });
  expect(items.length).toBeGreaterThan(0);
  const lines = person.page.getByRole('region', { name: 'Logs' }).getByRole('listitem');
  await expect(lines).toHaveCount(items.length);
  for (const [index, { body }] of items.entries()) await expect(lines.nth(index)).toContainText(body);
}

/** The waterfall draws the spans of a trace: those that matter here have a bar. */
async function expectSpans({ person: { page } }: Seat, names: readonly string[]): Promise<void> {
  const bars = page.getByRole('tree').getByRole('treeitem');
  for (const name of names) await expect(bars.filter({ hasText: name }).first()).toBeVisible();
}

/** The sum of what a filter matches, over all that the demo has sent. */
const countSpans = ({ ask }: Seat, filter: object): Promise<Scatter> =>
  ask('traces.scatter', { ...filter, from: iso(Date.now() - 24 * 60 * MINUTE_MS), to: iso(Date.now()) });

test(
  TASKS.slowestCheckout.task,
  play(TASKS.slowestCheckout, async (seat) => {
    const { person, ask } = seat;
    const { page } = person;
    const beganMs = Date.now();
    await person.click(pageLink(page, 'Traces'));
    const facets = page.getByRole('region', { name: 'Services and operations' });
    await person.click(facets.getByRole('button', { name: /^checkout/ }));
    await person.click(found(page).getByRole('button', { name: 'Slowest' }));
    await expect(found(page).getByRole('button', { name: 'Slowest' })).toHaveAttribute('aria-pressed', 'true');
    const first = found(page).getByRole('row').nth(1);
    const { items } = await ask<{ items: FoundTrace[] }>('traces.list', {
      service: ['checkout'],
      sort: 'duration',
      limit: 50,
      // What is surely within the page's own hour, and stored.
      from: iso(beganMs - 59 * MINUTE_MS),
      to: iso(beganMs - MINUTE_MS),
    });
    const slowest = Math.max(...items.map(({ root }) => root.duration_ms));
    // Until the list is of this question it is the one before, whose first one is the newest.
    const shownMs = async (): Promise<number> =>
      1000 * Number(/^([\d.]+)\s*s$/.exec((await first.getByRole('cell').nth(2).textContent()) ?? '')?.[1] ?? 0);
    await expect.poll(shownMs).toBeGreaterThanOrEqual(slowest - 50);
    await person.click(first.getByRole('link'));

    await expect(page).toHaveURL(/\/traces\/[0-9a-f]{32}/);
    const id = openTrace(page);
    const trace = await ask<{ root: { duration_ns: number }; services: { name: string }[] }>('traces.get', { id });
    expect(trace.services.map(({ name }) => name)).toContain('checkout');
    expect(trace.root.duration_ns / 1e6).toBeGreaterThanOrEqual(slowest - 1);
    await expectSpans(seat, ['web', 'checkout', 'payment']);
    await expectLogs(seat, id);
  }),
);

test(
  TASKS.failingLink.task,
  play(TASKS.failingLink, async (seat) => {
    const { person, ask } = seat;
    const { page } = person;
    const readMap = () => ask<Topology>('topology.map', { from: iso(Date.now() - 24 * 60 * MINUTE_MS) });
    const failing = ({ edges }: Topology) => edges.filter(({ error_ratio: ratio, errors }) => (ratio ?? 0) >= 0.01 && errors > 0);
    // The minutes of the past are computed soon after they came.
    await expect.poll(async () => failing(await readMap()).length, { timeout: 60_000 }).toBeGreaterThan(0);
    await person.click(pageLink(page, 'Service map'));
    await chooseRange(person, 'Last 24 hours');
    await expect(head(page)).toContainText(/ to .* fails .* of its calls/);
    // A connection of the API with its share of errors, as the sentence names it.
    await expect(async () => {
      const map = await readMap();
      const name = (of: string): string => map.nodes.find(({ id }) => id === of)?.name ?? '';
      const [, from = '', to = '', percent = ''] =
        /^(.+) to (.+) fails ([\d.]+)\s*% of/.exec((await head(page).textContent()) ?? '') ?? [];
      const edge = failing(map).find(({ source, target }) => name(source) === from && name(target) === to);
      expect(edge, `${from} to ${to}`).toBeDefined();
      expect(Number(percent) / ((edge?.error_ratio ?? 0) * 100)).toBeCloseTo(1, 0);
    }).toPass({ timeout: 30_000 });
    const [service = ''] = ((await head(page).textContent()) ?? '').split(' to ');
    await person.click(page.getByRole('button', { name: new RegExp(`^${service},`) }));
    await person.click(page.getByRole('region', { name: service, exact: true }).getByRole('link', { name: 'Failed' }));
    await person.click(found(page).getByRole('row').nth(1).getByRole('link'));

    await expect(page).toHaveURL(/\/traces\/[0-9a-f]{32}/);
    const trace = await ask<{ spans: { service: string; status: string; status_message: string }[] }>('traces.get', {
      id: openTrace(page),
    });
    const failed = trace.spans.filter(({ status }) => status === 'error');
    expect(failed.map((span) => span.service)).toContain(service);
    await expectSpans(
      seat,
      failed.map((span) => span.service),
    );
    await expect(page.getByRole('button', { name: 'Show the failed span' })).toBeVisible();
    await expect(head(page)).toContainText('failed after');
  }),
);

test(
  TASKS.failedVouchers.task,
  play(TASKS.failedVouchers, async (seat) => {
    const { person } = seat;
    const { page } = person;
    const filter = { attribute: ['app.order.has_voucher=true'], status: ['error'] };
    await expect.poll(async () => (await countSpans(seat, filter)).errors).toBeGreaterThan(0);
    await person.click(pageLink(page, 'Traces'));
    await chooseRange(person, 'Last 24 hours');
    await person.click(page.getByRole('button', { name: 'Attribute' }));
    await person.type(page.getByRole('textbox', { name: 'Attribute' }), 'app.order.has_voucher = true');
    await person.press('Enter');
    await person.click(page.getByRole('button', { name: 'Status' }));
    const before = await countSpans(seat, filter);
    await person.click(page.getByRole('checkbox', { name: 'error' }));

    await expect(head(page)).toContainText(
      /^([\d,]{2,}|[2-9]) spans that match, all failed\.|^1 span that matches, and it failed\./,
    );
    const shown = Number(/[\d,]+/.exec((await head(page).textContent()) ?? '')?.[0].replaceAll(',', ''));
    // All of the demo is within a day, so the count only grows.
    expect(shown).toBeGreaterThanOrEqual(before.total);
    expect(shown).toBeLessThanOrEqual((await countSpans(seat, filter)).total);
    const listed = found(page)
      .getByRole('row')
      .filter({ has: page.getByRole('cell') });
    await expect(listed.first()).toContainText('POST /checkout');
    await expect(listed).toHaveCount(Math.min(50, shown));
  }),
);
