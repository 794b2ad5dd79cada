import type { ServiceState, VerdictView } from '@svc/contracts/agent/ipc';
import { ServiceState as schema } from '@svc/contracts/agent/ipc';
import { FAULT_KINDS } from '@svc/contracts/fault-kinds';
import { type FaultFact, faultFact } from '@svc/contracts/judged/fault';
import type { JudgedMeasure } from '@svc/contracts/judged/measures';
import { LAYERS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { helpdeskText } from './helpdesk-text.ts';
import { LANGUAGES } from './languages.ts';
import { minutesUntilTomorrow, pauseChoices, sinceWords, untilWords } from './moments.ts';
import { type Face, headline, sharedWords, trayWords } from './state-words.ts';
import { suggestion, targetName, verdictSentence } from './verdict-words.ts';
import { createWords } from './words.ts';

const now = new Date(2026, 10, 21, 14, 6).getTime();
const at = (hour: number, minute = 0, day = 21): number => new Date(2026, 10, day, hour, minute).getTime();
const en = createWords('en');
const where = { nowMs: now, platform: 'linux' } as const;
/** Thin spaces as plain ones: what is tested here are the words. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ').replaceAll('\u00a0', ' ');

const layers = (scores: readonly (number | null)[]): VerdictView['layers'] =>
  (['wifi', 'local', 'isp', 'network'] as const).map((layer, index) => ({
    layer,
    score: scores[index] ?? null,
    unavailable: scores[index] === null ? 'no_target' : null,
  }));

const verdict = (over: Partial<VerdictView>): VerdictView => ({
  atMs: now,
  cause: 'none',
  fault: null,
  confidence: 0.9,
  decided: null,
  coverage: { measured: [...LAYERS], needed: [...LAYERS] },
  flips: 0,
  sinceMs: at(8, 42),
  layers: layers([95, 96, 92, 94]),
  ...over,
});

const state = (over: Partial<ServiceState> = {}): ServiceState =>
  schema.parse({
    state: 'running',
    server: 'https://svc.example',
    organisation: 'Fennmark IT',
    connected: true,
    problem: null,
    offlineSinceMs: null,
    waiting: 0,
    dropped: 0,
    pausedUntilMs: null,
    maxPauseMinutes: 1440,
    disclosure: 'shown',
    mustAccept: false,
    missingPermissions: [],
    verdict: verdict({}),
    wifi: {
      rssiDbm: { value: -55, unavailable: null },
      signalPercent: { value: null, unavailable: 'not_supported' },
      ssid: null,
    },
    gateway: { rttMs: { value: 3, unavailable: null }, lossRatio: { value: 0, unavailable: null } },
    paths: [],
    sessions: [],
    strip: Array.from({ length: 24 }, () => 'none'),
    context: { onBattery: null, metered: null, vpn: null, captivePortal: null, resumed: false },
    test: null,
    ...over,
  });

const made = (measure: JudgedMeasure['measure'], samples: number | null = null, failed: number | null = null): JudgedMeasure => ({
  ...{ measure, value: 1, limit: 1, target: null },
  ...{ samples, failed },
});
const crm = { target: 'https://crm.example/' };
const weakSignal = faultFact({ kind: 'wifi_signal', value: -79 });
/** Every kind, with the figures that its sentence names. */
const FAULTS: readonly FaultFact[] = FAULT_KINDS.map((kind) =>
  faultFact({ kind, ...crm, value: 140, usual: 12, code: 'HTTP_503', hop: 4, hops: 9 }),
);
const shown = (over: Partial<ServiceState>): Face => ({ reachable: true, state: state(over) });

describe('a verdict in words', () => {
  it('names number, unit, since when and what is fine', () => {
    const weak = verdict({ cause: 'wifi', fault: weakSignal, layers: layers([28, 61, 92, 94]) });
    const { title, detail } = verdictSentence(en, weak, now);
    expect(title).toBe('Slow because of Wi-Fi');
    expect(plain(detail)).toBe('Signal near \u221279 dBm since 08:42, too weak for a fast connection.');
  });

  it('counts the slow services and says that an unseen path hides the reason', () => {
    const slow = verdict({
      cause: 'unknown',
      fault: faultFact({ kind: 'service_slow', ...crm, value: 4800 }),
      decided: made('session_total_ms', 3, 2),
      layers: layers([95, null, null, 20]),
    });
    expect(plain(verdictSentence(en, slow, now).detail)).toBe(
      'crm.example has been taking 4.8 s to answer since 08:42. 2 of 3 services are slow. The path there cannot be seen from here. Wi-Fi is fine.',
    );
  });

  it('gives no green light where a layer was not measured, is being measured, or something is off', () => {
    const told = (over: Partial<VerdictView>) => {
      const { icon, title, detail } = headline(en, shown({ verdict: verdict(over) }), where);
      return { icon, words: plain(`${title}. ${detail}`) };
    };
    expect(told({})).toEqual({ icon: 'healthy', words: 'Healthy. All 4 layers are fine.' });
    const wired = { measured: ['local', 'isp', 'network'], needed: ['local', 'isp', 'network'] } as const;
    expect(told({ coverage: { measured: [...wired.measured], needed: [...wired.needed] } }).words).toBe(
      'Healthy. All 3 layers are fine.',
    );
    const half = { measured: ['wifi', 'local'] as const, needed: LAYERS };
    const coverage = { measured: [...half.measured], needed: [...half.needed] };
    const partial = told({ coverage, layers: layers([95, 96, null, null]) });
    expect(partial.icon).toBe('pending');
    expect(partial.words).toContain('Nothing is slow in the 2 of 4 layers that were measured here. A target to trace');
    expect(told({ coverage: { ...coverage, measuring: ['isp', 'network'] } })).toEqual({
      icon: 'pending',
      words: 'Measuring. Nothing slow so far: 2 of 4 layers have been measured since this began.',
    });
    const off = told({ fault: faultFact({ kind: 'path_loss', value: 0.2, hop: 4, hops: 9 }) });
    expect(off.icon).toBe('pending');
    expect(off.words).toContain('Nothing you use is slow. From hop 4 of 9 on');
  });

  it('leads with the fault where the layer alone would mislead, and never where the cause is not known', () => {
    const titleOf = (cause: VerdictView['cause'], kind: FaultFact['kind']) =>
      verdictSentence(en, verdict({ cause, fault: faultFact({ kind, ...crm, value: 140 }) }), now).title;
    expect(titleOf('network', 'captive_portal')).toBe('Sign-in needed');
    expect(titleOf('network', 'certificate')).toBe('Certificate refused');
    expect(titleOf('isp', 'queueing')).toBe('The line is full');
    expect(titleOf('unknown', 'service_unreachable')).toBe('Slow: cause unknown');
  });

  it('says that a verdict comes and goes', () => {
    const slow = verdict({ cause: 'wifi', fault: weakSignal, flips: 6 });
    expect(verdictSentence(en, slow, now).detail).toContain('6 changes in the last hour');
  });

  for (const language of LANGUAGES) {
    it(`has a sentence and one thing to try for each fault in ${language}`, () => {
      const words = createWords(language);
      const seen = new Set<string>();
      for (const fault of FAULTS) {
        const one = verdict({ cause: 'network', fault, decided: made('gateway_loss_ratio', 50, 6) });
        const { title, detail } = verdictSentence(words, one, now);
        const advice = suggestion(words, one, state().context);
        expect(title).not.toMatch(/[{}]/);
        expect(`${detail} ${advice}`).not.toMatch(/[{}]|undefined|NaN/);
        if (fault.kind !== 'certificate' && fault.kind !== 'distance') expect(detail).toContain('08:42');
        expect(advice.length).toBeGreaterThan(30);
        seen.add(detail);
      }
      expect(seen.size).toBe(FAULTS.length);
    });
  }

  it('tells to sign in first where a portal holds everything back', () => {
    expect(suggestion(en, verdict({}), { ...state().context, captivePortal: true })).toContain('sign in');
  });

  it('shortens a target to what a person calls it', () => {
    expect(targetName('https://crm.example/')).toBe('crm.example');
    expect(targetName('https://crm.example:8443/login')).toBe('crm.example:8443/login');
    expect(targetName('198.51.100.7')).toBe('198.51.100.7');
    expect(targetName('https://münchen.example/')).toBe('münchen.example');
  });
});

describe('the headline', () => {
  const icon = (over: Partial<ServiceState>): string => headline(en, shown(over), where).icon;

  it('says the one thing that matters most', () => {
    const slow = verdict({ cause: 'isp', fault: faultFact({ kind: 'isp_delay', value: 140 }) });
    const offline = { connected: false, offlineSinceMs: at(13, 52), waiting: 14 };
    expect(icon({})).toBe('healthy');
    expect(icon({ verdict: slow })).toBe('slow');
    expect(icon(offline)).toBe('offline');
    expect(icon({ ...offline, verdict: slow })).toBe('slow');
    expect(icon({ verdict: slow, pausedUntilMs: at(15) })).toBe('paused');
    expect(icon({ state: 'declined', disclosure: 'declined', pausedUntilMs: at(15) })).toBe('declined');
    expect(icon({ state: 'update_required', ...offline })).toBe('update');
    expect(icon({ state: 'needs_permission', missingPermissions: ['location'] })).toBe('permission');
    expect(headline(en, shown({ disclosure: 'not_shown', verdict: null }), where).title).toBe('Not started yet');
    expect(headline(en, shown({ disclosure: 'not_shown' }), where).title).toBe('IT wants to collect more');
    expect(headline(en, { reachable: false, nextTryMs: null }, where).icon).toBe('gone');
  });

  it('says how many wait, how many were dropped and why', () => {
    const { title, detail } = headline(
      en,
      shown({ connected: false, problem: 'untrusted', offlineSinceMs: at(13, 52), waiting: 14, dropped: 1 }),
      where,
    );
    expect(title).toBe('Offline since 13:52');
    expect(detail).toContain('14 readings wait here and will be sent in order.');
    expect(detail).toContain('The oldest reading was dropped');
    expect(detail).toContain('cannot prove');
  });

  it('tells "not yet" from "not measurable"', () => {
    const nothing = { value: null, unavailable: 'not_supported' } as const;
    const silent = {
      wifi: { rssiDbm: nothing, signalPercent: nothing, ssid: null },
      gateway: { rttMs: nothing, lossRatio: nothing },
    };
    expect(headline(en, shown({ verdict: null }), where).title).toBe('Measuring');
    expect(headline(en, shown({ verdict: null, ...silent }), where).title).toBe('Nothing can be measured');
  });

  it('is not offline where it was never enrolled', () => {
    expect(icon({ server: null, connected: false, offlineSinceMs: null })).toBe('healthy');
  });

  it('gives the tray a thing to try with a slow verdict, and the sentence for the menu', () => {
    const slow = verdict({ cause: 'wifi', fault: weakSignal });
    const { sentence, tooltip } = trayWords(en, shown({ verdict: slow }), where);
    expect(plain(sentence)).toContain('Slow because of Wi-Fi. Signal near \u221279 dBm since 08:42');
    expect(tooltip).toContain('Move a few metres');
  });
});

describe('moments and pauses', () => {
  it('says since and until when as a person would', () => {
    expect(sinceWords(en, at(8, 42), now)).toBe('since 08:42');
    expect(sinceWords(en, at(16, 0, 20), now)).toBe('since yesterday 16:00');
    expect(sinceWords(en, at(9, 15, 3), now)).toBe('since 3 Nov, 09:15');
    expect(untilWords(en, at(24), now)).toBe('until tomorrow 00:00');
    expect(untilWords(createWords('es'), at(15), now)).toBe('hasta las 15:00');
    expect(untilWords(createWords('de'), at(9, 0, 25), now)).toBe('bis 25. Nov. um 09:00');
  });

  it('offers what policy allows, or its longest', () => {
    expect(minutesUntilTomorrow(now)).toBe(9 * 60 + 54);
    expect(pauseChoices(en, 1440, now).map(({ minutes }) => minutes)).toEqual([15, 60, 594]);
    expect(pauseChoices(en, 30, now).map(({ minutes }) => minutes)).toEqual([15]);
    expect(pauseChoices(en, 10, now)).toEqual([{ label: 'For 10\u202fmin, the longest allowed', minutes: 10 }]);
  });
});

describe('the text for the helpdesk', () => {
  it('says code, verdict and evidence, and why something is missing', () => {
    const text = plain(
      helpdeskText(en, {
        code: 'NOS-7K3M9QX2AB',
        atMs: now,
        deviceName: 'LIS-LT-0143',
        verdict: verdict({ cause: 'wifi', fault: weakSignal, layers: layers([28, 61, null, 94]) }),
        wifi: { rssiDbm: { value: -79, unavailable: null }, signalPercent: { value: null, unavailable: null } },
        gateway: { rttMs: { value: null, unavailable: 'tunnel' }, lossRatio: { value: null, unavailable: null } },
        sessions: [
          {
            target: 'https://crm.example/',
            role: 'target',
            atMs: now,
            success: true,
            error: null,
            totalMs: 4800,
            typicalMs: 400,
          },
          {
            target: 'https://mail.example/',
            role: 'target',
            atMs: now,
            success: false,
            error: 'tls: expired',
            totalMs: null,
            typicalMs: null,
          },
        ],
        version: '1.0.0',
      }),
    );
    expect(text.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^Network check, 21 Nov 14:06 \(UTC[+−]\d\d:\d\d\)$/),
      'Code: NOS-7K3M9QX2AB',
      'Device: LIS-LT-0143',
    ]);
    expect(text).toContain('Verdict: Slow because of Wi-Fi. Signal near \u221279 dBm');
    expect(text).toContain('Scores (100 is best): Wi-Fi 28, Local network 61, ISP no target, Beyond ISP 94');
    expect(text).toContain('Gateway response time: not measured, a VPN hides it');
    expect(text).toContain('crm.example: 4.8 s, typically 400 ms');
    expect(text).toContain('mail.example: failed (tls: expired)');
  });
});

it('says how many others have the same, in each language, and nothing where nobody told', () => {
  const shared = { others: 8, sinceMs: at(8, 55) };
  expect(LANGUAGES.map((language) => sharedWords(createWords(language), { shared }, now))).toEqual(
    expect.arrayContaining(['8 more devices at your site have the same problem since 08:55.']),
  );
  for (const language of LANGUAGES) expect(sharedWords(createWords(language), { shared }, now)).toMatch(/8 .*8[:.\s]?h?\s?55/);
  expect(sharedWords(en, { shared: { others: 3, sinceMs: null } }, now)).toBe(
    '3 more devices at your site have the same problem.',
  );
  expect(sharedWords(en, {}, now)).toBe('');
});
