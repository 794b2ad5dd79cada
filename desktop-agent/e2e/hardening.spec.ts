import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { closeWindow, lookAround, openView, setSettings, tryToBeGranted, tryToLeave, tryToLie, tryToLoad } from './page-tries.js';
import { type Stand, startStand } from './stand.ts';

test.describe.configure({ mode: 'serial' });

let stand: Stand;
let page: Page;
let outside: Server;
let origin: string;
const asked: string[] = [];

/** A page of somebody else's, which must never be asked for anything. */
test.beforeAll(async () => {
  outside = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*').end('<h1>not ours</h1>');
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  stand = await startStand();
  page = await stand.window();
  await page.getByRole('heading', { level: 1 }).waitFor();
});
test.afterAll(async () => {
  await stand.stop();
  outside.close();
});

test('the renderer has sandbox and isolation, no Node, and one bridge', async () => {
  const preferences = await stand.app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
      getLastWebPreferences(): Record<string, unknown>;
    };
    return contents.getLastWebPreferences();
  });
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    webviewTag: false,
  });
  const reachable = await page.evaluate(lookAround);
  expect(reachable.globals).toEqual([]);
  expect(reachable.url).toBe('app://face/index.html');
  const bridge = ['call', 'closeWindow', 'copy', 'on', 'open', 'ownMemory', 'restartForUpdate', 'saveFile', 'setSettings'];
  expect(reachable.bridge).toEqual(bridge);
});

test('the policy lets nothing in: no connection, frame, picture, script or style but our own', async () => {
  const tried = await page.evaluate(tryToLoad, origin);
  expect(tried).toMatchObject({ fetched: 'refused', text: false, inline: false });
  expect(tried.outline).not.toBe('7px');
  expect(tried.violated).toEqual(
    expect.arrayContaining(['connect-src', 'frame-src', 'img-src', 'script-src-elem', 'style-src-elem']),
  );
  expect(asked).toEqual([]);
});

test('the page cannot be left, opened twice or granted anything', async () => {
  const before = page.url();
  await page.evaluate(tryToLeave, origin);
  await page.waitForTimeout(500);
  expect(page.url()).toBe(before);
  const granted = await page.evaluate(tryToBeGranted, origin);
  expect(granted).toEqual({ opened: false, states: ['denied'], camera: 'refused', place: 'refused' });
  expect(stand.app.windows().length).toBe(1);
  expect(asked).toEqual([]);
});

test('the pages’ scheme gives only the renderer’s own files, with the policy', async () => {
  const answers = await stand.app.evaluate(async ({ BrowserWindow }) => {
    const look = new BrowserWindow({ show: false, webPreferences: { partition: 'face', sandbox: true } });
    const statusOf = async (url: string) => {
      const status = new Promise<number>((resolve) =>
        look.webContents.once('did-navigate', (_event, _url, code) => resolve(code)),
      );
      await look.loadURL(url).catch(() => undefined);
      return await status;
    };
    const found = [await statusOf('app://face/index.html'), await statusOf('app://face/index.css')];
    // A style sheet has no policy of its own in its text: what refuses here came with the answer.
    const fetched = await look.webContents.executeJavaScript("fetch('index.js').then(() => 'fetched', () => 'refused')");
    const urls = [
      'app://face/../main.cjs',
      'app://face/%2e%2e/main.cjs',
      'app://face/..%2fmain.cjs',
      'app://face/',
      'app://other/index.html',
    ];
    const others: number[] = [];
    for (const url of urls) others.push(await statusOf(url));
    look.destroy();
    return { found, fetched, others };
  });
  expect(answers).toEqual({ found: [200, 200], fetched: 'refused', others: [404, 404, 404, 404, 404] });
});

test('a page that lies gets nothing', async () => {
  const answers = await page.evaluate(tryToLie, [
    ['hello', { protocol: 1, face: 'window' }],
    ['note', { kind: 'window', onBattery: null, power: null, tray: true, language: 'en' }],
    ['proxyFound', { ask: 1, proxy: 'PROXY evil:1' }],
    ['watch', {}],
    ['__proto__', {}],
    ['constructor', {}],
    ['pause', { minutes: -1 }],
    ['pause', { minutes: 15, extra: 1 }],
    ['ledgerEntry', { id: '../../etc/passwd' }],
    ['saveFile', { name: '../../.bashrc', text: 'x' }],
    ['copy', { text: 7 }],
    ['setSettings', { theme: 'light', startAtLogin: 'yes' }],
    [['about'], {}],
    ['about', 'x'],
  ]);
  expect(answers.length).toBe(14);
  for (const answer of answers) expect(answer).toMatch(/Error: refused$/);
});

test('another window, even with our preload script, is refused', async () => {
  const answers = await stand.app.evaluate(async ({ BrowserWindow, app }) => {
    const preload = `${app.getAppPath()}/../app/preload.cjs`;
    const told: string[] = [];
    for (const [partition, url] of [
      ['elsewhere', 'data:text/html,<h1>x'],
      ['face', 'app://face/index.html'],
    ] as const) {
      const rogue = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true, partition } });
      await rogue.loadURL(url);
      told.push(await rogue.webContents.executeJavaScript('agent.call("about", {}).then(() => "got it", (e) => e.message)'));
      rogue.destroy();
    }
    return told;
  });
  expect(answers).toEqual([expect.stringContaining('refused'), expect.stringContaining('refused')]);
});

test('a second start ends at once and brings the window of the first one back', async () => {
  // The page may be gone before it can answer.
  await Promise.all([page.waitForEvent('close'), page.evaluate(closeWindow).catch(() => undefined)]);
  await expect.poll(() => stand.app.windows().length).toBe(0);
  const renderers = () => stand.app.evaluate(({ app }) => app.getAppMetrics().filter(({ type }) => type === 'Tab').length);
  await expect.poll(renderers).toBe(0);
  expect(await stand.startAgain()).toBe(0);
  page = await stand.window();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('the settings file is this account’s alone, and a key store that everybody can open counts as none', async () => {
  await page.evaluate(setSettings, { theme: 'dark' as const });
  const userData = await stand.app.evaluate(({ app }) => app.getPath('userData'));
  expect(userData).toBe(join(stand.env.XDG_CONFIG_HOME ?? '', 'svc-agent'));
  expect(statSync(join(userData, 'face.json')).mode & 0o777).toBe(0o600);
  expect((await page.evaluate(openView)).desktop.keyStore).toBe('file');
});
