import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KeptFile } from '../kept-file.ts';
import { COLLECT_DEFAULTS } from '../privacy/collect.ts';
import { DEFAULT_POLICY, type Settings } from '../settings.ts';
import { openConsent } from './consent.ts';
import { exceeds, type Scope, scopeOf } from './scope.ts';
import { openSwitches } from './switches.ts';

const SERVER = 'https://monitor.example:8443';
const settings: Settings = {
  policyVersion: 3,
  collect: { ...COLLECT_DEFAULTS },
  traceTargets: ['203.0.113.10'],
  sessionTargets: ['https://crm.example/'],
  intervals: { wifi: 60_000, gateway: 60_000, path: 300_000, session: 300_000 },
  thresholds: DEFAULT_POLICY.thresholds,
};
const shown = scopeOf(settings, SERVER);
const memory = (held?: unknown): KeptFile & { held: unknown } => ({
  held,
  async read() {
    return structuredClone(this.held);
  },
  async write(value) {
    this.held = structuredClone(value);
  },
});

const more: [string, Partial<Scope>][] = [
  ['an identifier', { collect: { ...shown.collect, publicHops: true } }],
  ['a trace target', { traceTargets: ['203.0.113.10', '203.0.113.11'] }],
  ['a session target', { sessionTargets: ['https://hr.example/'] }],
  ['a shorter interval', { intervals: { ...shown.intervals, path: 60_000 } }],
  ['another reader', { server: 'https://other.example' }],
];
const less: [string, Partial<Scope>][] = [
  ['nothing new', {}],
  ['an identifier less', { collect: { ...shown.collect, ssid: false } }],
  ['no targets', { traceTargets: [], sessionTargets: [] }],
  ['a longer interval', { intervals: { ...shown.intervals, wifi: 600_000 } }],
];

describe('what was shown', () => {
  it.each(more)('is exceeded by %s', (_, change) => expect(exceeds({ ...shown, ...change }, shown)).toBe(true));
  it.each(less)('is not exceeded by %s', (_, change) => expect(exceeds({ ...shown, ...change }, shown)).toBe(false));
});

describe('consent', () => {
  it('keeps the very words of each answer, and their hash, and the same words once', async () => {
    const file = memory();
    let now = 1000;
    const consent = await openConsent(file, () => now);
    const banner = { language: 'en', text: 'Time to open crm.example (each 5 min)' };
    await consent.answer('shown', shown, banner);
    now = 2000;
    await consent.answer('shown', shown, banner);
    await consent.answer('declined', shown, { language: 'de', text: 'Zeit zum Öffnen von crm.example\n\nAblehnen' });
    // A switch of the person's own brings no words.
    await consent.answer('shown', shown);
    const again = await openConsent(file, () => now);
    expect(again.record()).toEqual([
      { answer: 'shown', atMs: 1000, ...banner, sha256: createHash('sha256').update(banner.text).digest('hex') },
      expect.objectContaining({ answer: 'declined', atMs: 2000, language: 'de' }),
    ]);
    for (let i = 0; i < 30; i += 1) await again.answer('accepted', shown, { language: 'en', text: `text ${i}` });
    expect(again.record()).toHaveLength(10);
    expect(again.record().at(-1)?.text).toBe('text 29');
  });

  it('permits nothing before it was shown, and asks again where more would be collected', async () => {
    const file = memory();
    const consent = await openConsent(file, () => 1000);
    expect([consent.state(shown), consent.permits(shown, false)]).toEqual(['not_shown', false]);
    await consent.answer('shown', shown);
    expect([consent.state(shown), consent.permits(shown, false), consent.permits(shown, true)]).toEqual(['shown', true, false]);
    const wider = { ...shown, traceTargets: ['203.0.113.10', '198.51.100.1'] };
    expect(consent.state(wider)).toBe('not_shown');
    // What was shown goes on, what is new waits.
    expect(consent.permits(wider, false)).toBe(true);
    expect(consent.bound({ ...settings, traceTargets: wider.traceTargets }).traceTargets).toEqual(['203.0.113.10']);
    expect(consent.bound({ ...settings, intervals: { ...settings.intervals, wifi: 1000 } }).intervals.wifi).toBe(60_000);
    // A policy that was only written anew is not shown again.
    expect(consent.state(scopeOf({ ...settings, policyVersion: 9 }, SERVER))).toBe('shown');
  });

  it('sends nothing to a reader of whom the person was never told', async () => {
    const consent = await openConsent(memory(), () => 1000);
    await consent.answer('shown', shown);
    expect(consent.permits({ ...shown, server: 'https://other.example' }, false)).toBe(false);
  });

  it('respects a decline until it is taken back, over restarts and shown texts', async () => {
    const file = memory();
    const first = await openConsent(file, () => 1000);
    await first.answer('declined', shown);
    const second = await openConsent(file, () => 2000);
    await second.answer('shown', shown);
    expect([second.state(shown), second.permits(shown, false)]).toEqual(['declined', false]);
    await second.answer('accepted', shown);
    const third = await openConsent(file, () => 3000);
    expect([third.state(shown), third.permits(shown, true), third.shownAtMs()]).toEqual(['accepted', true, 2000]);
  });

  it('keeps an acceptance of the same, and asks for a new one of more', async () => {
    const consent = await openConsent(memory(), () => 1000);
    await consent.answer('accepted', shown);
    await consent.answer('shown', shown);
    expect(consent.state(shown)).toBe('accepted');
    const wider = { ...shown, collect: { ...shown.collect, publicHops: true } };
    await consent.answer('shown', wider);
    expect([consent.state(wider), consent.permits(wider, true)]).toEqual(['shown', false]);
  });

  it.each([null, 'x', { answer: 'accepted' }, { answer: 'yes', atMs: 1, scope: shown }, { answer: 'shown', atMs: 1, scope: {} }])(
    'takes a damaged file %j for none',
    async (held) => {
      const consent = await openConsent(memory(held), () => 1);
      expect(consent.state(shown)).toBe('not_shown');
    },
  );
});

it('keeps switches over restarts and takes nothing from a damaged file', async () => {
  const file = memory();
  const switches = await openSwitches(file);
  await switches.set('ssid', false);
  expect((await openSwitches(file)).current()).toMatchObject({ ssid: false, gatewayIp: true });
  expect((await openSwitches(memory('x'))).current().ssid).toBe(true);
});
