import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { hurtHost, rumHost, rumOverview, rumRow, testsHalf, usersHalf } from '../../../testing/rum-examples.ts';
import { openPage } from '../../../testing/show.tsx';

const view = hurtHost();
const open = (more: Answers = {}, search = '') =>
  openPage(`/rum/shop/shop.example${search}`, {
    ...shellAnswers,
    'identity.me': me(['agent.read', 'rum.read', 'incident.read']),
    'rum.host': view,
    'rum.overview': rumOverview([view.row]),
    ...more,
  });
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const region = (name: string) => page.getByRole('region', { name, exact: true });
const says = (name: string, hasText: RegExp) => expect.element(region(name).filter({ hasText })).toBeVisible();

it.each(['light', 'dark'])(
  'says who is hurt since when, proves it by both halves, and is no barrier in the %s theme',
  async (theme) => {
    document.documentElement.dataset.theme = theme;
    await open();
    await expect.element(headline(/^Users of shop\.example hurt since .*\d\d:\d\d: p75 LCP 5\.2 s over 412 views/)).toBeVisible();
    await expect.element(page.getByText('They wait for the first byte: 3.6 s, usually 0.42 s.')).toBeVisible();
    await expect.element(page.getByText(/412 views in 15 min, usually 430/)).toBeVisible();
    await says('Verdict', /Now: Users hurt, tests confirmwarned once, .*since/);
    await says('Verdict', /p75 LCP 5\.2\ss, from 4\ss on\. Errors 3\.4%, from 10% on\. 412 views, 20 needed/);
    await says(
      'Verdict',
      /38 of 46 runs failed, 83%, from 50% on, of at least 2\. Counted: http, https and browser.*Checkout 38 of 46/,
    );
    await says('How it came about', /Users hurt, tests confirm it.*once.*Healthy.*no/);
    await expect
      .element(page.getByRole('img', { name: /^Verdicts: healthy for .* and users hurt, tests confirm it for \d+\smin$/ }))
      .toBeVisible();
    await expect.poll(() => document.title).toBe('shop, shop.example');
    expect(await findBarriers()).toEqual([]);
    document.documentElement.dataset.theme = 'light';
  },
);

it('shows each vital with its shares and bounds', async () => {
  await open();
  await says('What visitors waited for', /LCP largest paint5\.2\ss poorusually 1\.90\ss57%6%37%good to 2\.5\ss, poor from 4\ss/);
  await says('What visitors waited for', /CLS layout shift0\.04 good/);
  await says('What visitors waited for', /Errors views with one3\.4% 14 of 412/);
  await expect
    .element(page.getByRole('img', { name: 'LCP: 57% good, 6% needs improvement and 37% poor', exact: true }))
    .toBeInTheDocument();
});

it('says of small groups that they are too few', async () => {
  await open();
  await says('Pages', /\/order\/:id14too few.*too few: 14 of 20 views/);
  await says('Browser families', /Chrome218.*Other7too few.*too few: 7 of 20 views/);
});

it('marks changes of its host, each a link, until they are switched off for all charts', async () => {
  await open({ 'identity.me': me(['rum.read', 'change.read']) });
  const link = page.getByRole('link', { name: 'Change 548: deploy checkout 4.18.0' });
  await expect
    .element(link)
    .toHaveAttribute('href', expect.stringMatching(/^\/changes\?text=%23548&from=2\d{3}-\d\d-\d\dT.*Z&to=2\d{3}-\d\d-\d\dT.*Z$/));
  const marks = () => document.querySelectorAll('.rum-change').length;
  await expect.poll(marks).toBe(1);
  await region('Over time').getByText('Changes', { exact: true }).click();
  await expect.element(link).not.toBeInTheDocument();
  expect([marks(), localStorage.getItem('svc.changes.marks')]).toEqual([0, 'off']);
  localStorage.removeItem('svc.changes.marks');
});

it('reads the chart by keys, and draws something else by the address', async () => {
  const { at } = await open();
  const chart = page.getByRole('slider', { name: /^LCP, TTFB over time/ });
  await expect.element(chart).toBeVisible();
  (chart.element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowLeft}{Enter}');
  await expect.element(chart).toHaveAttribute('aria-valuetext', expect.stringMatching(/: LCP 5\.2\ss, TTFB 3\.6\ss, \d+ views$/));
  await userEvent.keyboard('{Escape}');
  await expect.element(chart).toHaveAttribute('aria-valuetext', 'no moment chosen');
  await page.getByRole('button', { name: 'CLS' }).click();
  await expect.poll(at).toContain('drawn=cls');
  await expect.element(page.getByRole('slider', { name: /^CLS over time/ })).toBeVisible();
  await says('Over time', /Change 548: deploy checkout 4\.18\.0.*Incident 94: Checkout fails/);
});

it('asks for the time of the address, and for figures of all of it', async () => {
  const { server, at } = await open({}, '?range=24h');
  await expect.element(headline(/^Users/)).toBeVisible();
  const { from = '', to = '' } = server.calls('rum.host').at(-1) ?? {};
  expect(Date.parse(to) - Date.parse(from)).toBe(86_400_000);
  await page.getByRole('button', { name: 'Whole time' }).click();
  await expect.poll(at).toContain('figures=range');
  await expect.poll(() => server.calls('rum.host').at(-1)).toMatchObject({ figures: 'range', app: 'shop', host: 'shop.example' });
});

it('counts errors in views, and says in a word that there were none', async () => {
  const host = rumHost(rumRow('shop'));
  const none = { views_with_errors: 0, views_with_failed_requests: 1, errors: 0, failed_requests: 1 };
  await open({ 'rum.host': { ...host, errors: { ...host.errors, ...none } } });
  await says('What visitors waited for', /no script error/);
  await says('What visitors waited for', /1 failed request in 1 view/);
});

it('that waits for its first beacon does not say that nothing tests it', async () => {
  const row = rumRow('shop', { state: 'waiting', sufficient: false, views: 0, p75: {}, error_rate: null, tests: null });
  const waiting = rumHost(row);
  const tests = testsHalf({ tested: false, runs: 0, ratio: null, types: [] });
  await open({ 'rum.host': { ...waiting, verdict: { ...waiting.verdict, judged_at: null, tests } } });
  await says('Verdict', /Not looked at yet: the first beacon has this host judged/);
  await expect.element(page.getByText(/No http, https or browser test of this host/)).not.toBeInTheDocument();
});

it('of too few views and no test says so, and names no answer', async () => {
  const row = rumRow('shop', { state: 'too_few', sufficient: false, views: 9, p75: {}, error_rate: null, tests: null });
  const users = usersHalf({ sufficient: false, views: 9, hurt_views: 0, error_rate: null, p75_lcp_ms: null });
  const tests = testsHalf({ tested: false, runs: 0, ratio: null, types: [] });
  const few = rumHost(row);
  await open({ 'rum.host': { ...few, verdict: { ...few.verdict, users, tests } } });
  await says('Verdict', /No answer yet: 9 views in 15 min, 20 are needed/);
  await says('Verdict', /No http, https or browser test of this host, so nothing confirms what users see/);
  await expect.element(page.getByText('Now: ')).not.toBeInTheDocument();
  await says('What visitors waited for', /LCP largest painttoo few: 9 of 20/);
  expect(await findBarriers()).toEqual([]);
});

it('without a beacon in this time draws no line, and does not call that healthy', async () => {
  const points = view.series.points.map((point) => ({ ...point, views: 0, p75: {}, error_rate: null }));
  await open({ 'rum.host': { ...view, series: { ...view.series, points } } });
  await says('Over time', /No beacon came in this time\. That says nothing about the health of the page/);
});

it('leads to the incident, the snippet and the pages above', async () => {
  await open();
  await expect
    .element(page.getByRole('link', { name: 'Open incident 94' }))
    .toHaveAttribute('href', `/incidents/${view.row.incident?.id}`);
  await expect.element(page.getByRole('link', { name: 'Snippet and key' })).toHaveAttribute('href', '/rum/shop');
  const crumb = page.getByRole('navigation', { name: 'Breadcrumb' });
  await expect.element(crumb.getByRole('link', { name: 'Real users' })).toHaveAttribute('href', '/rum');
  await expect.element(crumb.getByRole('link', { name: 'shop' })).toHaveAttribute('href', '/rum/shop');
});

it('keeps its shape while it loads', async () => {
  await open({ 'rum.host': WAITING });
  await expect.element(headline('Real users of a host, loading')).toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
});

it('says that it failed, and knows no host of another tenant', async () => {
  const { server } = await open({ 'rum.host': new Refusal('conflict', 'The store is being moved.') });
  await expect.element(page.getByRole('alert').filter({ hasText: /The store is being moved/ })).toBeVisible();
  server.answer({ 'rum.host': new Refusal('not_found', 'There is no such app or host.') });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(page.getByRole('heading', { name: 'There is no such app or host' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});
