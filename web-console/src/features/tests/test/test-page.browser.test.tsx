import type { RunProgress } from '@svc/contracts/tests/calls';
import type { TestView } from '@svc/contracts/tests/views';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { stripBar, testList, testRow, testRun, testView } from '../../../testing/test-examples.ts';

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const MINUTE = 60_000;
const runs = [
  testRun({ runner_id: 'b', runner_name: 'Berlin', success: false, error: 'total 3.7 s, limit 2 s', total_ms: 3700 }),
  testRun({ runner_id: 'h', runner_name: 'Hamburg' }),
];
const fromRunner = (id: string, name: string, more: Partial<TestView['runners'][number]> = {}): TestView['runners'][number] => ({
  ...{ id, name, connected: true, contact_at: ago(4000), state: 'passing', since: ago(90 * MINUTE), last_at: ago(30_000) },
  ...{ total_ms: 728, next_at: ago(-30_000), conditions: [], advice: '', ...more },
});
const failing = testRow('Checkout', {
  ...{ state: 'failing', since: ago(27 * MINUTE), last: runs[0] ?? null },
  sentence: 'Fails from Berlin since 2026-11-24T14:04:00Z: the TLS handshake takes 3.1 s.',
});
const view = testView(failing, {
  ...{ remainder: 'From Hamburg the same run passes in 0.7 s.', detected_after_seconds: 242 },
  assertions: [
    { rule: 'total_ms', wanted: 'all within 2000 ms', got: '3,727 ms', passed: false },
    { rule: 'status', wanted: '2xx', got: '200', passed: true },
  ],
  runners: [
    fromRunner('b', 'Berlin', { state: 'failing', since: ago(27 * MINUTE), total_ms: 3700 }),
    fromRunner('h', 'Hamburg'),
    fromRunner('t', 'Toulouse', {
      ...{ state: 'not_running', connected: false, total_ms: null, next_at: null },
      conditions: [
        { what: 'Toulouse is chosen', detail: 'by label', holds: true },
        { what: 'Runner has contact', detail: 'silent since 2026-11-24T13:40:00Z', holds: false },
        { what: 'Browser is there', detail: 'not known', holds: null },
      ],
      advice: 'Start svc canary on that machine.',
    }),
  ],
});

const details: Answers['tests.run'] = {
  ...{ run: runs[0] ?? testRun(), figures: { status: 503, bytes: 5312 }, address: '10.0.3.4', assertions: view.assertions },
  ...{ certificate: null, screenshot_url: null },
  evidence: { response_head: 'HTTP/1.1 503 Service Unavailable', body_excerpt: '<title>Down</title>' },
};
const answers: Answers = {
  ...shellAnswers,
  'identity.me': me(['agent.read', 'test.read', 'test.write']),
  'tests.list': testList([failing]),
  'tests.get': view,
  'tests.strip': ({ from, to }) => ({
    ...{ from, to, step_seconds: 600 },
    bars: Array.from({ length: 144 }, (_, index) => stripBar(index, index > 140 ? { passed: 0, failed: 5 } : { passed: 5 })),
  }),
  'tests.series': ({ from, to }) => ({
    ...{ from, to, step_seconds: null },
    points: runs.map((run, index) => ({
      ...{ at: ago((index + 2) * 60 * MINUTE), runs: 1, failed: run.success ? 0 : 1, phases: run.phases },
      ...{ total_ms: run.total_ms, result_id: run.result_id },
    })),
  }),
  'tests.runs': { items: runs, next_cursor: null, total: 2 },
  'tests.run': details,
};
const open = (more: Answers = {}, search = '') => openPage(`/tests/${failing.test.id}${search}`, { ...answers, ...more });
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const region = (name: string) => page.getByRole('region', { name });

it.each(['light', 'dark'])('says since when it fails and proves it, and is no barrier in the %s theme', async (theme) => {
  document.documentElement.dataset.theme = theme;
  await open();
  await expect.element(headline(/^Fails from Berlin since .*14:04: the TLS handshake takes 3\.1 s\.$/)).toBeVisible();
  await expect.element(page.getByText('From Hamburg the same run passes in 0.7 s.')).toBeVisible();
  const facts = region('Key figures');
  await expect
    .element(facts.filter({ hasText: /Available, 24 h99\.8\s%.*Time to detect4\smin 2\ss.*Certificate8\d days/ }))
    .toBeVisible();
  await expect.element(region('Assertions').filter({ hasText: /Total within 2000 ms3,727 ms.*Status is 2xx200/ })).toBeVisible();
  await expect.element(page.getByRole('img', { name: /^Runs: .+ passed, 15 failed$/ })).toBeVisible();
  await expect.poll(() => document.title).toBe('Checkout');
  expect(await findBarriers()).toEqual([]);
  document.documentElement.dataset.theme = 'light';
});

it('has nothing beyond the edge of a phone', async () => {
  await page.viewport(390, 844);
  await open();
  await expect.element(region('Key figures')).toBeVisible();
  await expect.element(page.getByRole('heading', { name: 'Runs from Berlin, last 24 hours' })).toBeVisible();
  const main = page.getByRole('main').element();
  const beyond = [...main.querySelectorAll('*')].filter(
    (one) => one.getBoundingClientRect().right > 390 && !one.closest('.scrollx'),
  );
  expect(beyond.slice(0, 5).map((one) => `${one.tagName} ${one.getAttribute('class')}`)).toEqual([]);
  expect(main.scrollWidth).toBeLessThanOrEqual(main.clientWidth);
  await page.viewport(1440, 1000);
});

it('looks at the runner that fails, until another one is chosen', async () => {
  const { server, at } = await open();
  await expect.element(page.getByRole('heading', { name: 'Runs from Berlin, last 24 hours' })).toBeVisible();
  expect(server.calls('tests.strip').at(-1)).toMatchObject({ runner: 'b', bars: 144 });
  await page.getByRole('button', { name: 'Hamburg' }).click();
  await expect.poll(at).toContain('runner=h');
  await expect.poll(() => server.calls('tests.series').at(-1)?.runner).toBe('h');
  await expect.poll(() => server.calls('tests.runs').at(-1)?.runner).toBe('h');
});

it('narrows the time by the strip’s edges, and Escape gives it back', async () => {
  const { server, at } = await open();
  const edge = page.getByRole('slider', { name: 'Shown from' });
  await expect.element(edge).toBeVisible();
  (edge.element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowRight}');
  await expect.poll(at).toContain('from=');
  await expect.poll(() => server.calls('tests.runs').at(-1)?.from).toBeDefined();
  await userEvent.keyboard('{Escape}');
  await expect.poll(at).not.toContain('from=');
});

it('reads the chart by keys and keeps a reading', async () => {
  await open();
  const chart = page.getByRole('slider', { name: /^Phases over time/ });
  await expect.element(chart).toBeVisible();
  (chart.element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowLeft}{Enter}');
  await expect
    .element(region('Assertions').filter({ hasText: /Run of .+ pinned in the chart.*DNS20\sms.*Total368\sms/ }))
    .toBeVisible();
  await expect.element(page.getByText(/fails from 2\.0\ss on/)).toBeInTheDocument();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByText('pinned in the chart')).not.toBeInTheDocument();
});

it('opens a run to its evidence, which the address keeps', async () => {
  const { at } = await open();
  const first = region('Latest runs')
    .getByRole('button', { name: /^\d\d:\d\d:\d\d/ })
    .first();
  await first.click();
  await expect.element(first).toHaveAttribute('aria-expanded', 'true');
  await expect.element(page.getByText('HTTP/1.1 503 Service Unavailable')).toBeVisible();
  await expect.element(page.getByText('<title>Down</title>')).toBeVisible();
  expect(at()).toContain(`run=${runs[0]?.result_id}`);
  expect(await findBarriers()).toEqual([]);
});

it('lists failed runs alone, and older ones', async () => {
  const { server } = await open({ 'tests.runs': { items: runs, next_cursor: 'later', total: 120 } });
  await page.getByRole('button', { name: 'Older runs' }).click();
  await expect.poll(() => server.calls('tests.runs').at(-1)?.cursor).toBe('later');
  await page.getByRole('button', { name: 'Failed' }).click();
  await expect.poll(() => server.calls('tests.runs').at(-1)?.success).toBe(false);
});

it('never shows a run as failed with which nothing was measured', async () => {
  const refused = testRun({ success: false, fault: 'target_refused', error: 'loopback is refused', total_ms: 0, phases: {} });
  await open({ 'tests.runs': { items: [refused], next_cursor: null, total: 1 } });
  const result = page.getByText('not run: loopback is refused');
  await expect.element(result).toBeVisible();
  expect(result.element().closest('.bad')).toBeNull();
});

it('says why it does not run from a runner: what holds, what does not, what is not known, and what to do', async () => {
  await open();
  const card = region('Why it does not run from Toulouse');
  await expect
    .element(
      card.filter({ hasText: /Toulouse is chosen, holds.*Runner has contact, does not hold.*Browser is there, not known/ }),
    )
    .toBeVisible();
  await expect.element(card.filter({ hasText: /silent since .*13:40/ })).toBeVisible();
  await expect.element(card.filter({ hasText: 'Start svc canary on that machine.' })).toBeVisible();
});

it('runs now, shows phases as they end, then what came of it', async () => {
  const on = (more: Partial<RunProgress['runners'][number]>): RunProgress => ({
    ...{ run_id: failing.test.id, dry_run: false, started_at: ago(0), done: false },
    runners: [
      { id: 'b', name: 'Berlin', phases: { dns: 20 }, done: false, problem: null, result: null, result_id: null, ...more },
    ],
  });
  const { server } = await open({ 'tests.runNow': { run_id: failing.test.id }, 'tests.progress': on({}) });
  await page.getByRole('button', { name: 'Run now' }).click();
  await expect.element(page.getByRole('heading', { name: 'Running now' })).toBeVisible();
  await expect.element(page.getByRole('status', { name: 'Run by hand' }).filter({ hasText: /DNS 20\sms/ })).toBeVisible();
  const result = { success: true, phases: { dns: 20, tls: 100 }, total_ms: 640, figures: {}, assertions: [] };
  server.answer({ 'tests.progress': { ...on({ done: true, result, result_id: runs[0]?.result_id ?? '' }), done: true } });
  await expect.element(page.getByRole('status', { name: 'Run by hand' }).filter({ hasText: /total 640\sms/ })).toBeVisible();
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  await expect.element(page.getByText('HTTP/1.1 503 Service Unavailable')).toBeVisible();
});

it('pauses, edits beside the page, and deletes once that is confirmed', async () => {
  const { server, at } = await open({ 'tests.setEnabled': { changed: 1 }, 'tests.remove': { changed: 1 } });
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect.poll(() => server.calls('tests.setEnabled')).toEqual([{ ids: [failing.test.id], enabled: false }]);
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect.element(page.getByRole('textbox', { name: 'Target' })).toHaveValue(failing.test.target);
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  expect(server.calls('tests.remove')).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(at).toBe('/tests');
});

it('of a test that never ran says when it first will, over a strip that is a baseline', async () => {
  const fresh = testRow('New', {
    state: 'new',
    sentence: '',
    last: null,
    availability: null,
    usual_ms: null,
    certificate_days: null,
    since: null,
  });
  await open({
    'tests.get': testView(fresh, { certificate: null, assertions: [], assertions_at: null, remainder: '', availability: [] }),
    'tests.strip': ({ from, to }) => ({ from, to, step_seconds: 600, bars: [stripBar(0, { passed: 0 })] }),
    'tests.series': ({ from, to }) => ({ from, to, step_seconds: null, points: [] }),
    'tests.runs': { items: [], next_cursor: null, total: 0 },
  });
  await expect.element(headline(/^Has not run yet\. The first run is planned for \d\d:\d\d\.$/)).toBeVisible();
  await expect.element(page.getByText('They are checked with the first run.')).toBeVisible();
  await expect.element(page.getByText('Nothing ran in this time.').first()).toBeVisible();
  await expect.element(region('Certificate')).not.toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
});

it('names steps that are shorter than a minute', async () => {
  await open({}, '?range=1h');
  await expect.element(page.getByText(/^Steps of \d\d\ss;/)).toBeVisible();
});

it('has a picture card for browser tests alone', async () => {
  await open();
  await expect.element(region('Latest runs')).toBeVisible();
  await expect.element(region('What the browser saw')).not.toBeInTheDocument();
});

it('keeps its shape while it loads', async () => {
  await open({ 'tests.get': WAITING });
  await expect.element(headline('Test, loading')).toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
});

it('says that it failed, and shows the test at the next try', async () => {
  const { server } = await open({ 'tests.get': new Refusal('conflict', 'The store is being moved.') });
  await expect.element(page.getByRole('alert').filter({ hasText: /The store is being moved/ })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  server.answer({ 'tests.get': view });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(headline(/^Fails from Berlin/)).toBeVisible();
});

it('shows the rest where one of its parts fails', async () => {
  await open({
    'tests.series': new Refusal('conflict', 'The store is busy.'),
    'tests.strip': new Refusal('conflict', 'No strip.'),
  });
  await expect.element(page.getByRole('alert').filter({ hasText: /The store is busy/ })).toBeVisible();
  await expect.element(region('Latest runs')).toBeVisible();
});

it('knows no test of another tenant', async () => {
  await open({ 'tests.get': new Refusal('not_found', 'There is no such test.') });
  await expect.element(page.getByRole('heading', { name: 'There is no such test' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('asks for nothing where the reader has no permission', async () => {
  const { server } = await open({ 'identity.me': me(['agent.read']) });
  await expect.element(page.getByRole('heading', { name: 'No permission' })).toBeVisible();
  expect(server.calls('tests.get')).toEqual([]);
});
