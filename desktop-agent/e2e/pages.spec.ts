import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { readHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import { canonicalJson } from '@svc/contracts/results/canonical-json';
import { type Stand, startStand } from './stand.ts';

test.describe.configure({ mode: 'serial' });

const TABS = ['Now', 'What we collect', 'What was sent', 'Settings', 'About'] as const;
const shot = (name: string): string => test.info().outputPath(`${name}.png`);

let stand: Stand;
let page: Page;
test.beforeAll(async () => {
  stand = await startStand();
  page = await stand.window();
  await stand.calm();
  await page.getByRole('button', { name: 'Start measuring' }).click();
  await expect.poll(() => stand.controlPlane.received.length).toBeGreaterThan(3);
});
test.afterAll(() => stand.stop());

const open = (name: string): Promise<void> => page.getByRole('tab', { name }).click();

async function shootPages(theme: string): Promise<void> {
  for (const tab of TABS) {
    await open(tab);
    await expect(page.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true');
    await page.waitForTimeout(400);
    await page.screenshot({ path: shot(`${theme}-${tab.replaceAll(' ', '-').toLowerCase()}`) });
  }
}

test('every page opens, light and dark', async () => {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing slow, as far as measured', { timeout: 60_000 });
  await shootPages('light');
  await open('Settings');
  await page.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await shootPages('dark');
});

test('the path is drawn as wide as its card', async () => {
  await open('Now');
  const graph = page.getByRole('img', { name: /^Path to 127\.0\.0\.1/ });
  await expect(graph).toBeVisible({ timeout: 30_000 });
  // Each new trace draws it anew.
  for (let n = 0; n < 4; n += 1) {
    await page.waitForTimeout(500);
    const drawn = await graph.evaluate((svg) => (svg as unknown as { getBBox(): { width: number } }).getBBox().width);
    expect(drawn).toBeGreaterThan(((await graph.boundingBox())?.width ?? 0) - 24);
  }
  await graph.screenshot({ path: shot('path') });
});

test('Test now answers within 30 seconds', async () => {
  await open('Now');
  await page.getByRole('button', { name: 'Test now' }).click();
  const began = Date.now();
  await expect(page.getByText(/^Tested at/)).toBeVisible({ timeout: 30_000 });
  expect(Date.now() - began).toBeLessThan(30_000);
});

test('what goes to the helpdesk is shown first, then copied as it was shown, and its code names this device', async () => {
  await open('Now');
  await stand.app.evaluate(({ clipboard }) => clipboard.clear());
  await page.getByRole('button', { name: 'Copy for helpdesk' }).click();
  const preview = page.getByLabel('Text for the helpdesk');
  await expect(preview).toBeVisible();
  const text = await preview.evaluate((element) => ('value' in element ? String(element.value) : (element.textContent ?? '')));
  expect(await stand.app.evaluate(({ clipboard }) => clipboard.readText())).toBe('');
  await page.screenshot({ path: shot('helpdesk') });
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => stand.app.evaluate(({ clipboard }) => clipboard.readText())).toBe(text);
  const code = /NOS-[0-9A-Z]+/.exec(text)?.[0];
  expect(readHelpdeskCode(code ?? '', Date.now())).not.toBeNull();
  await page.keyboard.press('Escape');
});

test('what was sent is word for word what the server has, on the page and in the export', async () => {
  const { controlPlane, app, stateDir } = stand;
  await stand.choose('Pause', 'For 15 minutes');
  await expect.poll(() => controlPlane.statuses.at(-1)?.state).toBe('paused');
  await open('What was sent');
  const row = page
    .getByRole('button', { expanded: false })
    .filter({ hasText: /\d?\d:\d\d:\d\d/ })
    .first();
  await row.click();
  await expect(page.getByText('Measured here').first()).toBeVisible();
  await page.screenshot({ path: shot('payload') });

  const file = join(stateDir, 'export.json');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, file);
  await page.getByRole('button', { name: /JSON/ }).click();
  await expect.poll(() => statSync(file, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const exported: { kind: string; results: { sent: { clock_ms?: number } }[] }[] = JSON.parse(readFileSync(file, 'utf8')).entries;
  const sentAs = (wanted: string) =>
    exported.filter(({ kind }) => kind === wanted).flatMap(({ results }) => results.map(({ sent }) => sent));
  const words = (messages: readonly unknown[]): string[] => messages.map((message) => canonicalJson(message)).sort();
  expect(words(sentAs('results'))).toEqual(words(controlPlane.received));
  // Every other message is in it as well.
  const clocks = (statuses: readonly { clock_ms?: number }[]): number[] => statuses.map(({ clock_ms: at }) => at ?? 0).sort();
  expect(clocks(sentAs('status'))).toEqual(clocks(controlPlane.statuses));
  expect(new Set(exported.map(({ kind }) => kind))).toEqual(new Set(['results', 'status', 'enrol']));
  await stand.choose('Resume');
});

test('language, start at login and what is held back are kept over a restart of the window', async () => {
  await open('Settings');
  const autostart = join(stand.env.XDG_CONFIG_HOME ?? '', 'autostart', 'svc-agent.desktop');
  await page.getByRole('switch', { name: 'Start at login' }).click();
  await expect.poll(() => statSync(autostart, { throwIfNoEntry: false })?.isFile()).toBe(true);
  expect(readFileSync(autostart, 'utf8')).toMatch(/^Exec=".*" ".*" "--hidden"$/m);
  await page.getByRole('combobox').selectOption('de');
  await expect(page.getByRole('tab', { name: 'Einstellungen' })).toBeVisible();
  expect(await stand.menu()).toContain('Beenden');
  await stand.closeWindow();
  await stand.choose('Öffnen');
  page = await stand.window();
  await expect(page.getByRole('tab', { name: 'Einstellungen' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('tab', { name: 'Einstellungen' }).click();
  await page.getByRole('switch').first().click();
  await expect.poll(() => statSync(autostart, { throwIfNoEntry: false })?.isFile() ?? false).toBe(false);
});
