import { expect, test } from '@playwright/test';
import type { LedgerEntry } from '@svc/contracts/agent/ipc';
import { faultFact } from '@svc/contracts/judged/fault';
import { callsOf, openWindow, scenario, tell } from './fake-bridge.ts';
import { ago, deepTest, disclosure, healthy, ledger, NOW, state, verdict, weakWifi } from './views.ts';

const reachable = (given: ReturnType<typeof state>) => ({ reachable: true as const, state: given });
const callsNamed = async (page: Parameters<typeof callsOf>[0], name: string) =>
  (await callsOf(page)).filter(([called]) => called === name).map(([, input]) => input);

test('a deeper test says what it costs beside its button, then how far it is, and what it found', async ({ page }) => {
  await openWindow(page, scenario({ open: { service: reachable(healthy()) } }));
  const button = page.getByRole('button', { name: 'Test deeper' });
  await expect(page.locator('.deep-ask')).toContainText(/up to 11\sMB and takes up to 30\ss/);
  await button.click();
  expect(await callsNamed(page, 'testDeeper')).toEqual([{}]);
  const running = deepTest({ running: true, done: ['line'], mtu: null, pings: null, path: null });
  await tell(page, 'service', reachable(healthy({ deepTest: running })));
  const busy = page.getByRole('button', { name: /^Testing deeper, 18/ });
  await expect(busy).toBeDisabled();
  await busy.click({ force: true });
  expect(await callsNamed(page, 'testDeeper')).toHaveLength(1);
  await expect(page.locator('.deep')).toContainText('Your line queues under load');
  await tell(page, 'service', reachable(healthy({ deepTest: deepTest() })));
  await expect(page.locator('.deep')).toContainText(/From hop 4 of 9 on, 20% of packets are lost/);
  await expect(page.getByRole('status').filter({ hasText: 'Tested at 14:05' })).toBeVisible();
});

test.describe('with the keyboard', () => {
  test('arrows, Home and End move through the pages, and Tab leaves them', async ({ page }) => {
    await openWindow(page, scenario());
    await page.getByRole('tab', { name: 'Now' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab', { name: 'What we collect' })).toBeFocused();
    await expect(page.getByText('Wi-Fi signal')).toBeVisible();
    await page.keyboard.press('End');
    await expect(page.getByRole('tab', { name: 'About', selected: true })).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab', { name: 'Now', selected: true })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('tabpanel')).toBeFocused();
  });

  test('goes from bar to tabs to page to what can be done', async ({ page }) => {
    await openWindow(page, scenario());
    const order: string[] = [];
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press('Tab');
      order.push(
        await page.evaluate(
          () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
        ),
      );
    }
    expect(order.filter((name) => !name.startsWith('Slow'))).toEqual([
      'Close',
      'Now',
      'All hops',
      'Test deeper',
      'Test now',
      'Pause',
      'Copy for helpdesk',
    ]);
  });

  test('the pause menu opens, moves, closes with Escape and gives the focus back', async ({ page }) => {
    await openWindow(page, scenario());
    const button = page.getByRole('button', { name: 'Pause' });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'For 15 minutes' })).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('menuitem', { name: 'Until tomorrow' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(button).toBeFocused();
    await expect(page.getByRole('menu')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await callsNamed(page, 'pause')).toEqual([{ minutes: 60 }]);
    await expect(button).toBeFocused();
  });
});

test.describe('now', () => {
  test('a test shows its parts, then answers in a sentence with one thing to try', async ({ page }) => {
    await openWindow(page, scenario({ open: { service: reachable(healthy()) } }));
    await page.getByRole('button', { name: 'Test now' }).click();
    expect(await callsNamed(page, 'testNow')).toHaveLength(1);
    const running = { running: true, startedMs: NOW, endsMs: NOW + 28_000, done: ['wifi'], failed: false };
    await tell(page, 'service', reachable(healthy({ test: running as never })));
    await expect(page.getByRole('progressbar', { name: 'Test now' })).toBeVisible();
    await expect(page.getByText('Wi-Fi: done')).toBeAttached();
    await expect(page.getByRole('button', { name: 'Testing, 28' })).toHaveAttribute('aria-disabled', 'true');
    await page.getByRole('button', { name: 'Testing, 28' }).click({ force: true });
    expect(await callsNamed(page, 'testNow')).toHaveLength(1);
    await tell(page, 'service', reachable(healthy({ test: { ...running, running: false } as never })));
    const answer = page.getByRole('status').filter({ hasText: 'Tested at' });
    await expect(answer).toContainText('Tested at 14:06. Healthy. All 4 layers are fine. If one program');
    await expect(page.getByText('Try this')).toBeVisible();
  });

  test('a test that fails says so, and one that is refused says why', async ({ page }) => {
    await openWindow(page, scenario({ faults: { testNow: 'busy' } }));
    await page.getByRole('button', { name: 'Test now' }).click();
    await expect(page.getByRole('alert')).toContainText('Busy with an earlier request');
    const test = { running: true, startedMs: NOW, endsMs: NOW + 28_000, done: [], failed: false };
    await tell(page, 'service', reachable(state({ test })));
    await tell(page, 'service', reachable(state({ test: { ...test, running: false, failed: true } })));
    await expect(page.getByRole('status').filter({ hasText: 'The test at 14:06 could not be completed' })).toBeVisible();
  });

  test('a pause says how long it lasts, lets nothing be tested, and ends by one press', async ({ page }) => {
    await openWindow(
      page,
      scenario({ open: { service: reachable(state({ state: 'paused', pausedUntilMs: NOW + 54 * 60_000 })) } }),
    );
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paused until 15:00');
    await expect(page.getByText('54\u202fmin left.')).toBeVisible();
    await expect(page.getByText('Time to open a service')).toHaveCount(0);
    await page.getByRole('button', { name: 'Test now' }).click({ force: true });
    expect(await callsNamed(page, 'testNow')).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    expect(await callsNamed(page, 'pause')).toEqual([{ minutes: 0 }]);
  });

  test('offers no pause that policy does not allow', async ({ page }) => {
    await openWindow(page, scenario({ open: { service: reachable(state({ maxPauseMinutes: 30 })) } }));
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByRole('menuitem')).toHaveText(['For 15 minutes']);
  });

  test('a service that ends and comes back is told as it happens', async ({ page }) => {
    await openWindow(page, scenario());
    await tell(page, 'service', { reachable: false, nextTryMs: NOW + 8000 });
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The measurement service is not responding');
    await expect(page.getByText('Next attempt in 8\u202fs.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Test now' })).toHaveCount(0);
    await tell(page, 'service', reachable(healthy()));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Healthy');
  });

  test('each layer, the way out and the strip are read out in words', async ({ page }) => {
    await openWindow(page, scenario());
    const layers = page.getByRole('list', { name: 'The four layers' }).getByRole('listitem');
    await expect(layers.nth(0)).toContainText('Wi-Fi: 28 of 100, slow here');
    await expect(layers.nth(1)).toContainText('Local network: not judged, behind Wi-Fi');
    await expect(page.getByRole('img', { name: 'Path to crm: 2.1% lost before gateway.' })).toBeVisible();
    await expect(page.getByRole('img', { name: /6\sh healthy, 14\sh not measured and 4\sh slow: Wi-Fi/ })).toBeVisible();
  });

  test('the hop table says what the picture says, and which addresses stay', async ({ page }) => {
    await openWindow(page, scenario());
    await page.getByRole('button', { name: 'All hops' }).click();
    const rows = page.getByRole('table').getByRole('row');
    await expect(rows).toHaveCount(7);
    await expect(rows.nth(1)).toContainText('10.20.3.1');
    await expect(rows.nth(3)).toContainText('not sent');
    await expect(rows.nth(4)).toContainText('silent');
  });

  test('what is copied for the helpdesk is shown first, and is what is copied', async ({ page }) => {
    await openWindow(page, scenario());
    await page.getByRole('button', { name: 'Copy for helpdesk' }).click();
    await expect(page.getByRole('heading', { name: 'Copy for helpdesk' })).toBeFocused();
    const preview = page.getByRole('textbox', { name: 'Text for the helpdesk' });
    await expect(preview).toHaveValue(/Code: NOS-7K3M9QX2AB/);
    expect(await callsNamed(page, 'copy')).toEqual([]);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    expect(await callsNamed(page, 'copy')).toEqual([{ text: await preview.inputValue() }]);
    await expect(page.getByRole('status')).toHaveText('Copied. The helpdesk finds this device by NOS-7K3M9QX2AB.');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Slow because of Wi-Fi');
  });
});

test.describe('the first start', () => {
  test('shows everything before it asks, and starts only by an answer', async ({ page }) => {
    await openWindow(page, scenario({ open: { service: reachable(state({ disclosure: 'not_shown', verdict: null })) } }));
    await expect(page.getByRole('tab')).toHaveCount(0);
    for (const name of [
      'What is collected',
      'What is never collected',
      'Who can see it',
      'How long it is kept',
      'Where you find this again',
    ])
      await expect(page.getByRole('heading', { name })).toBeAttached();
    expect(await callsNamed(page, 'answerDisclosure')).toEqual([]);
    // As the console shows it: targets and intervals by name.
    const collected = page.locator('.short li');
    await expect(collected.filter({ hasText: 'Time to open 5 services' })).toContainText('https://crm/, https://mail/');
    await expect(collected.filter({ hasText: 'Wi-Fi signal' })).toContainText('Every 60 s');
    // biome-ignore lint/performance/useDomNodeTextContent: as the page lays it out is what the person saw
    const shown = await page.locator('.welcome').innerText();
    await page.getByRole('button', { name: 'Start measuring' }).click();
    const text = `${shown}\n\nStart measuring`;
    expect(await callsNamed(page, 'answerDisclosure')).toEqual([
      { answer: 'shown', of: 'first', words: { language: 'en', text } },
    ]);
    await tell(page, 'service', reachable(healthy()));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Healthy');
  });

  test('asks where policy wants an answer; a decline holds and may be changed', async ({ page }) => {
    await openWindow(page, scenario({ open: { service: reachable(state({ disclosure: 'not_shown', mustAccept: true })) } }));
    await page.getByRole('button', { name: 'Decline' }).click();
    expect(await callsNamed(page, 'answerDisclosure')).toMatchObject([{ answer: 'declined' }]);
    await tell(page, 'service', reachable(state({ state: 'declined', disclosure: 'declined', mustAccept: true, verdict: null })));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You declined');
    await page.getByRole('button', { name: 'See what is collected' }).click();
    await page.getByRole('button', { name: 'Accept' }).click();
    expect(await callsNamed(page, 'answerDisclosure')).toMatchObject([{ answer: 'declined' }, { answer: 'accepted' }]);
  });

  test('shows what IT added and nothing else, and takes the answer to exactly that', async ({ page }) => {
    const added = [
      { item: 'session' as const, targets: ['https://files/'], everySeconds: 300, wasEverySeconds: null },
      { item: 'wifi' as const, targets: [], everySeconds: 30, wasEverySeconds: 60 },
    ];
    const service = reachable(state({ disclosure: 'not_shown' }));
    await openWindow(page, scenario({ open: { service }, disclosure: disclosure({ id: 'second', added }) }));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your IT added something');
    const lines = page.locator('.short li');
    await expect(lines).toHaveCount(2);
    await expect(lines.first()).toContainText('Time to open 1 service');
    await expect(lines.first()).toContainText('https://files/');
    await expect(lines.first()).not.toContainText('https://crm/');
    await expect(lines.nth(1)).toContainText('Every 30 s, until now every 60 s');
    await page.getByRole('button', { name: 'Measure this too' }).click();
    const [answer] = await callsNamed(page, 'answerDisclosure');
    expect(answer).toMatchObject({ answer: 'shown', of: 'second', words: { language: 'en' } });
    expect(JSON.stringify(answer)).not.toContain('https://crm/');
  });

  test('says where to find it again where there is no tray', async ({ page }) => {
    const desktop = { platform: 'linux' as const, languages: ['en'], tray: false, keyStore: 'file' as const };
    await openWindow(page, scenario({ open: { desktop, service: reachable(state({ disclosure: 'not_shown' })) } }));
    await expect(page.getByText('This desktop shows no tray icons: open Network check from your applications.')).toBeAttached();
  });
});

test.describe('what we collect', () => {
  test('only what is the person’s has a switch, and it says who decided', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'collect' } }));
    await expect(page.getByRole('switch')).toHaveCount(3);
    const own = page.getByRole('switch', { name: 'Internal addresses of gateway and path' });
    await expect(own).toHaveAttribute('aria-checked', 'true');
    await own.click();
    expect(await callsNamed(page, 'switchItem')).toEqual([{ item: 'gatewayIp', on: false }]);
    await expect(own).toHaveAttribute('aria-checked', 'false');
    await expect(page.getByText('Off, by you')).toHaveCount(2);
  });

  test('is exported as text, line by line what the page says', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'collect' } }));
    await page.getByRole('button', { name: 'Export as text' }).click();
    const [saved] = await callsNamed(page, 'saveFile');
    expect(saved?.name).toBe('what-we-collect.txt');
    expect(saved?.text).toContain('Wi-Fi signal: On, by IT');
    expect(saved?.text).toContain('Last: \u221279\u202fdBm, 14:06');
    expect(saved?.text).toContain('Seen by Fennmark IT, 4 people. Readings kept for 30 days, hourly averages for 13 months.');
  });
});

test.describe('what was sent', () => {
  test('shows each result before and after, what differs first', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'sent' } }));
    await page
      .getByRole('button', { name: /Path and services/ })
      .first()
      .click();
    const table = page.getByRole('table').first();
    await expect(table.getByRole('columnheader')).toHaveText(['Measured here', 'Sent, 2 values minimised']);
    await expect(table.locator('del').first()).toHaveText('hop.3.address 203.0.113.9');
    await expect(table.locator('ins').first()).toHaveText('hop.3.address withheld');
    await expect(page.getByText('Entry 48,213 of an unbroken chain.')).toBeVisible();
  });

  test('tells what was received from what was sent', async ({ page }) => {
    const [newest, ...older] = ledger(20);
    const told = { ...newest, kind: 'told', direction: 'received', types: [], results: 0, bytes: 49, receipt: 'none' } as const;
    const load = { ...newest, id: 60_000, kind: 'load', types: [], results: 0, bytes: 5_006_000, receipt: 'none' } as const;
    const text = '{"cause":"wifi","others":8}';
    const results = [{ before: text, sent: text, withheld: [] }];
    await openWindow(page, scenario({ open: { page: 'sent' }, ledger: [load, told, ...older] as LedgerEntry[], results }));
    const row = page.getByRole('button', { name: /What others at your site have too/ });
    await expect(row).toContainText('received');
    await row.click();
    await expect(page.getByRole('columnheader')).toHaveText(['As received']);
    await expect(page.getByRole('cell')).toHaveText(['cause wifi', 'others 8']);
    await expect(page.getByText('Received from svc.fennmark.example:8443.')).toBeVisible();
    await expect(page.getByRole('button', { name: /Test load/ })).toContainText('sent');
  });

  test('searches, says when nothing matches, and clears', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'sent' } }));
    const search = page.getByRole('searchbox', { name: 'Search 7 days' });
    await search.fill('lastmile');
    await expect(page.getByRole('button', { name: /Wi-Fi and gateway/ })).toHaveCount(0);
    await search.fill('no such thing');
    await expect(page.getByText('No entry matches “no such thing”.')).toBeVisible();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect(page.getByRole('button', { name: /Wi-Fi and gateway/ }).first()).toBeVisible();
    await search.fill('x');
    await search.press('Escape');
    await expect(search).toHaveValue('');
  });

  test('goes back page by page', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'sent' } }));
    const rows = page.locator('.entries > li');
    await expect(rows).toHaveCount(50);
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await expect(rows).toHaveCount(100);
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await expect(rows).toHaveCount(140);
    await expect(page.getByRole('button', { name: 'Show older entries' })).toHaveCount(0);
    expect(new Set(await rows.locator('button').allTextContents()).size).toBe(140);
  });

  test('is exported whole, as JSON with the very text that left', async ({ page }) => {
    const given = scenario({ open: { page: 'sent' }, ledger: ledger(230) });
    await openWindow(page, given);
    await page.getByRole('button', { name: 'Export as JSON' }).click();
    await expect(page.getByText('Saved.')).toBeVisible();
    const [saved] = await callsNamed(page, 'saveFile');
    const { entries } = JSON.parse(String(saved?.text));
    expect(entries).toHaveLength(230);
    expect(String(saved?.text)).toContain(`"sent":${given.results[0]?.sent}`);
  });

  test('an edited record is shown as such, wherever one looks', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'sent' }, ledger: ledger(20, [2]), intact: false }));
    await expect(page.getByText('The record is not intact')).toBeVisible();
    await page.getByRole('button', { name: /changed/ }).click();
    await expect(page.getByText('it no longer proves what was sent')).toBeVisible();
    await page.getByRole('button', { name: 'Check the chain' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'The record is not intact' })).toBeVisible();
  });

  test('a whole chain is said to be whole', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'sent' } }));
    await page.getByRole('button', { name: 'Check the chain' }).click();
    await expect(page.getByText('The chain is intact: all 140 entries are as they were written.')).toBeVisible();
  });
});

test.describe('settings and about', () => {
  test('language and theme change at once, and main keeps them', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'settings' } }));
    await page.getByRole('combobox', { name: 'Language' }).selectOption('fr');
    await expect(page.getByRole('tab', { name: 'Paramètres' })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
    await page.getByRole('radio', { name: 'Sombre' }).check({ force: true });
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await page.getByRole('switch').click();
    expect(await callsNamed(page, 'setSettings')).toEqual([{ language: 'fr' }, { theme: 'dark' }, { startAtLogin: false }]);
  });

  test('takes the system’s language where it has it', async ({ page }) => {
    const desktop = { platform: 'darwin' as const, languages: ['pt-BR', 'es-MX', 'en'], tray: true, keyStore: 'system' as const };
    await openWindow(page, scenario({ open: { desktop } }));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Lento por la wifi');
  });

  test('says where the key lies, and that it never connected', async ({ page }) => {
    const desktop = { platform: 'linux' as const, languages: ['en'], tray: false, keyStore: 'file' as const };
    const service = reachable(state({ connected: false, offlineSinceMs: ago(14), waiting: 14, problem: 'network' }));
    await openWindow(page, scenario({ open: { page: 'settings', desktop, service } }));
    await expect(page.getByText('in a file that only the account that measures, and administrators, can read')).toBeVisible();
    await expect(page.getByText('Not connected since 13:52. The server cannot be reached.')).toBeVisible();
    await expect(page.getByText('14 readings')).toBeVisible();
  });

  test('an update is offered where this program installs it, and told where IT does', async ({ page }) => {
    await openWindow(page, scenario({ open: { page: 'about' } }));
    await expect(page.getByText('0.02% of one core')).toBeVisible();
    await tell(page, 'update', { version: '1.5.0', how: 'tell' });
    await expect(page.getByText('Your IT team will install it.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Restart and update' })).toHaveCount(0);
    await tell(page, 'update', { version: '1.5.0', how: 'restart' });
    await page.getByRole('button', { name: 'Restart and update' }).click();
    expect(await callsNamed(page, 'restartForUpdate')).toHaveLength(1);
  });

  test('the tray opens any page, and the bar closes the window', async ({ page }) => {
    await openWindow(page, scenario());
    await tell(page, 'openPage', 'sent');
    await expect(page.getByRole('tab', { name: 'What was sent', selected: true })).toBeVisible();
    await tell(page, 'openPage', 'helpdesk');
    await expect(page.getByRole('heading', { name: 'Copy for helpdesk' })).toBeVisible();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await callsNamed(page, 'closeWindow')).toHaveLength(1);
  });
});

test('what opens or goes takes the focus along', async ({ page }) => {
  await openWindow(page, scenario());
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('menuitem', { name: 'For 15 minutes' }).click();
  await tell(page, 'service', reachable(state({ state: 'paused', pausedUntilMs: NOW + 15 * 60_000 })));
  await expect(page.getByRole('button', { name: 'Resume' })).toBeFocused();
  await tell(page, 'service', reachable(state({ disclosure: 'not_shown' })));
  await expect(page.getByRole('heading', { name: 'This device measures its network' })).toBeFocused();
  await tell(page, 'service', reachable(healthy()));
  await expect(page.getByRole('heading', { name: 'Healthy' })).toBeFocused();
});

test('a page that breaks says so and can be closed', async ({ page }) => {
  await openWindow(page, scenario());
  await tell(page, 'service', { reachable: true, state: { ...weakWifi(), strip: null } });
  await expect(page.getByRole('alert')).toContainText('This page could not be shown.');
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await callsNamed(page, 'closeWindow')).toHaveLength(1);
});

test('a name that looks like markup is text', async ({ page }) => {
  const name = '<img src=x onerror=alert(1)>{title}';
  const complaints = await openWindow(page, scenario({ open: { service: reachable(state({ organisation: name })) } }));
  await expect(page.getByText(name)).toBeVisible();
  const target = `https://${name}/`;
  const fault = faultFact({ kind: 'service_unreachable', target, code: 'ECONNREFUSED' });
  await tell(page, 'service', reachable({ ...weakWifi(), verdict: verdict('network', [90, 90, 90, 0], fault) }));
  await expect(page.getByText(`${name} has accepted no connection since 08:42 (ECONNREFUSED).`)).toBeVisible();
  expect(complaints).toEqual([]);
});
