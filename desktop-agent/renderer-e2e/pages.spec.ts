import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { type FaultFact, faultFact } from '@svc/contracts/judged/fault';
import { openWindow, type Scenario, scenario } from './fake-bridge.ts';
import { findSerious } from './find-serious.ts';
import { ago, deepTest, disclosure, healthy, ledger, longNames, NOW, nothingMeasurable, state, verdict } from './views.ts';

const pictures = join(import.meta.dirname, '..', '..', 'test-results', 'window-pictures');
const on = (given: Parameters<typeof scenario>[0]): Scenario => scenario(given);
const at = (over: Parameters<typeof state>[0]): Scenario => on({ open: { service: { reachable: true, state: state(over) } } });
const page = (name: NonNullable<Scenario['open']['page']>, given: Parameters<typeof scenario>[0] = {}): Scenario =>
  on({ ...given, open: { ...given.open, page: name } });
const slow = (cause: 'local' | 'isp' | 'network' | 'unknown', scores: number[], fault: FaultFact): Scenario =>
  at({ verdict: verdict(cause, scores, fault) });

const STATES: Readonly<Record<string, Scenario>> = {
  'now-wifi': on({}),
  'now-healthy': on({ open: { service: { reachable: true, state: healthy() } } }),
  'now-local': slow('local', [90, 22, 64, 40], faultFact({ kind: 'gateway_loss', value: 0.12 })),
  'now-isp': slow('isp', [90, 93, 31, 40], faultFact({ kind: 'isp_delay', value: 140 })),
  'now-network': slow('network', [90, 93, 91, 12], faultFact({ kind: 'service_slow', target: 'https://crm/', value: 4812 })),
  'now-unknown': slow('unknown', [90, 93], faultFact({ kind: 'service_unreachable', target: 'https://crm/', code: 'ETIMEDOUT' })),
  'now-nothing': on({ open: { service: { reachable: true, state: nothingMeasurable() } } }),
  'now-pending': at({ verdict: null }),
  'now-offline': on({
    open: {
      service: { reachable: true, state: healthy({ connected: false, offlineSinceMs: ago(14), waiting: 14, dropped: 3 }) },
    },
  }),
  'now-slow-offline': at({ connected: false, offlineSinceMs: ago(14), waiting: 14, problem: 'untrusted' }),
  'now-paused': at({ state: 'paused', pausedUntilMs: NOW + 54 * 60_000 }),
  'now-permission': on({
    open: {
      service: {
        reachable: true,
        state: healthy({
          state: 'needs_permission',
          missingPermissions: ['location', 'local_network'],
          verdict: verdict('none', ['permission', 97, 92, 95] as number[]),
        }),
      },
      desktop: { platform: 'darwin', languages: ['en'], tray: true, keyStore: 'system' },
    },
  }),
  'now-declined': at({ state: 'declined', disclosure: 'declined', mustAccept: true, verdict: null }),
  'now-update': at({ state: 'update_required', connected: false, problem: 'upgrade_required', waiting: 41 }),
  'now-gone': on({ open: { service: { reachable: false, nextTryMs: NOW + 8000 } } }),
  'now-testing': at({
    test: { running: true, startedMs: NOW - 9000, endsMs: NOW + 19_000, done: ['wifi', 'route'], failed: false },
  }),
  'now-deep-running': at({ deepTest: deepTest({ running: true, done: ['line'], mtu: null, pings: null, path: null }) }),
  'now-deep-done': at({ deepTest: deepTest() }),
  'now-captive': at({ context: { onBattery: true, metered: true, vpn: true, captivePortal: true, resumed: true } }),
  'now-unenrolled': at({ server: null, organisation: null, connected: false }),
  'now-long': on({ open: { service: { reachable: true, state: longNames() } } }),
  'collect-usual': page('collect'),
  'collect-unenrolled': page('collect', {
    disclosure: disclosure({ server: null, organisation: null, policyVersion: 0, policyAtMs: null, readers: null }),
  }),
  'sent-usual': page('sent'),
  'sent-empty': page('sent', { ledger: [] }),
  'sent-broken': page('sent', { ledger: ledger(20, [2]), intact: false }),
  'settings-usual': page('settings'),
  'settings-consent': page('settings', {
    open: { service: { reachable: true, state: state({ mustAccept: true, disclosure: 'accepted' }) } },
  }),
  'settings-gone': page('settings', { open: { service: { reachable: false, nextTryMs: null } } }),
  'about-usual': page('about', { open: { update: { version: '1.5.0', how: 'restart' } } }),
  'helpdesk-usual': page('helpdesk'),
  'welcome-plain': at({ disclosure: 'not_shown', verdict: null }),
  'welcome-ask': at({ disclosure: 'not_shown', mustAccept: true, verdict: null }),
  'welcome-added': scenario({
    open: { service: { reachable: true, state: state({ disclosure: 'not_shown' }) } },
    disclosure: disclosure({
      added: [
        { item: 'session', targets: ['https://files/', 'https://wiki/'], everySeconds: 300, wasEverySeconds: null },
        { item: 'wifi', targets: [], everySeconds: 30, wasEverySeconds: 60 },
      ],
    }),
  }),
};

const beyondTheEdge = (shown: Page): Promise<number> =>
  shown.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const [at, [name, given]] of Object.entries(STATES).entries()) {
  test(`${name}: shown whole, without complaint, accessible, light and dark`, async ({ page: shown }) => {
    // Opened in the one and turned to the other, as the system does in the evening; every other state is opened dark.
    const schemes = at % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
    await shown.emulateMedia({ colorScheme: schemes[0] });
    const complaints = await openWindow(shown, given);
    if (name === 'sent-usual') await shown.getByRole('button', { expanded: false }).nth(1).click();
    for (const scheme of schemes) {
      await shown.emulateMedia({ colorScheme: scheme });
      await expect(shown.locator('html')).toHaveAttribute('data-theme', scheme);
      await shown.screenshot({ path: join(pictures, `${name}-${scheme}.png`) });
      expect(await findSerious(shown), scheme).toEqual([]);
      expect(await beyondTheEdge(shown), scheme).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
    }
  });
}

const EVERY = [
  'now-wifi',
  'now-deep-done',
  'now-permission',
  'now-paused',
  'collect-usual',
  'sent-usual',
  'settings-consent',
  'about-usual',
  'welcome-ask',
  'welcome-added',
];

for (const language of ['de', 'fr', 'es', 'en-XA']) {
  test(`nothing is cut off in ${language}`, async ({ page: shown }) => {
    for (const name of EVERY) {
      const given = structuredClone(STATES[name] as Scenario);
      given.open.settings.language = language as 'de';
      expect(await openWindow(shown, given)).toEqual([]);
      await shown.screenshot({ path: join(pictures, `${name}-${language}.png`) });
      expect(await beyondTheEdge(shown), name).toBeLessThanOrEqual(0);
      const cut = await shown.evaluate(() =>
        [...document.querySelectorAll('button, h1, h2, dt, dd, label, th, .try, .notice, .layers li')]
          .filter((element) => !element.matches('.cut, .sr') && element.clientWidth > 0)
          .filter((element) => element.scrollWidth > element.clientWidth + 1 && !element.querySelector('.cut, .sr'))
          .map((element) => `${element.className}: ${element.textContent}`),
      );
      expect(cut, name).toEqual([]);
    }
  });
}

test('at 200 % zoom everything is there, and one scrolls to it', async ({ page: shown }) => {
  // A window of 400 by 620 at 200 % has half of each in CSS pixels.
  await shown.setViewportSize({ width: 200, height: 310 });
  for (const name of EVERY) {
    expect(await openWindow(shown, STATES[name] as Scenario)).toEqual([]);
    await shown.screenshot({ path: join(pictures, `${name}-zoom.png`), fullPage: true });
    expect(await beyondTheEdge(shown), name).toBeLessThanOrEqual(0);
    expect(await findSerious(shown), name).toEqual([]);
  }
});

test('forced colours keep marks apart by shape, and reduced motion moves nothing', async ({ page: shown }) => {
  await shown.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  for (const name of ['now-wifi', 'collect-usual', 'settings-usual']) {
    await openWindow(shown, STATES[name] as Scenario);
    await shown.screenshot({ path: join(pictures, `${name}-forced.png`) });
    const moving = await shown.evaluate(
      () =>
        [...document.querySelectorAll('*')]
          .flatMap((element) => [getComputedStyle(element), getComputedStyle(element, '::after')])
          .filter(({ transitionDuration, animationName }) => parseFloat(transitionDuration) > 0 || animationName !== 'none')
          .length,
    );
    expect(moving).toBe(0);
  }
  const heights = await openWindow(shown, STATES['now-wifi'] as Scenario).then(() =>
    shown.locator('.strip rect').evaluateAll((bars) => new Set(bars.map((bar) => bar.getAttribute('height'))).size),
  );
  expect(heights).toBe(3);
});
