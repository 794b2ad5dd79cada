import { faultFact } from '@svc/contracts/judged/fault';
import { LAYERS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { createWords } from '../i18n/words.ts';
import { serviceStateOf } from '../testing/service-state.ts';
import { breakLines, type MenuActions, menuText, trayMenu } from './tray-menu.ts';

const nothing: MenuActions = { testNow: () => undefined, open: () => undefined, pause: () => undefined, quit: () => undefined };
/** In the afternoon: just before midnight it is tomorrow within any bound. */
const nowMs = new Date(2026, 10, 21, 15).getTime();
const menu = (state: Parameters<typeof serviceStateOf>[0]) =>
  trayMenu(
    {
      words: createWords('en'),
      face: { reachable: true, state: serviceStateOf(state) },
      nowMs,
      platform: 'linux',
      mayQuit: true,
    },
    nothing,
  );

describe('the menu', () => {
  it('breaks a sentence between words, and leaves a word whole that is longer than a line', () => {
    expect(breakLines('one two  three', 7)).toEqual(['one two', 'three']);
    expect(breakLines(`a ${'x'.repeat(80)} b`, 10)).toEqual(['a', 'x'.repeat(80), 'b']);
    expect(breakLines('')).toEqual([]);
  });

  it('shows a target with & as it is', () => {
    const fault = faultFact({ kind: 'service_unreachable', target: 'https://a.example/b&c' });
    const layers = LAYERS.map((layer) => ({
      layer,
      score: 50,
      unavailable: null,
    }));
    const coverage = { measured: [...LAYERS], needed: [...LAYERS] };
    const verdict = { atMs: 0, cause: 'network', fault, decided: null, coverage, flips: 0, confidence: 1, sinceMs: 0 } as const;
    const lines = menu({ verdict: { ...verdict, layers } }).map(({ label }) => label ?? '');
    expect(lines.join(' ')).toContain('b&&c');
  });

  it('keeps the pauses within what policy allows', () => {
    const labels = (maxPauseMinutes: number): string[] => {
      const pause = menu({ maxPauseMinutes }).find(({ label }) => label === 'Pause');
      return ((pause?.submenu ?? []) as { label: string }[]).map(({ label }) => label);
    };
    expect(labels(30)).toEqual(['For 15 minutes']);
    expect(labels(5).map((label) => label.replaceAll('\u202f', ' '))).toEqual(['For 5 min, the longest allowed']);
  });

  it('does not offer a test while one runs, and says how long it takes', () => {
    const test = { running: true, startedMs: nowMs, endsMs: nowMs + 12_000, done: [], failed: false };
    const running = menu({ test }).find(({ label }) => label?.startsWith('Testing'));
    expect(running).toMatchObject({ enabled: false });
  });

  it('offers to show the network’s name where macOS guards it and there is a radio, and nowhere else', () => {
    const offered = (mayShowNetworkName: boolean, ssid: string | null, rssiDbm: number | null): boolean => {
      const measured = { value: rssiDbm, unavailable: rssiDbm === null ? ('wired' as const) : null };
      const state = serviceStateOf({ wifi: { rssiDbm: measured, signalPercent: measured, ssid } });
      const view = { words: createWords('en'), face: { reachable: true as const, state }, nowMs, platform: 'darwin' as const };
      const items = trayMenu({ ...view, mayQuit: true, mayShowNetworkName }, nothing);
      return items.some(({ label }) => label === 'Show the network’s name');
    };
    expect(offered(true, null, -60)).toBe(true);
    expect(offered(true, 'office', -60)).toBe(false);
    expect(offered(true, null, null)).toBe(false);
    expect(offered(false, null, -60)).toBe(false);
  });

  it('reads the same for the same state', () => {
    expect(menuText(menu({}))).toBe(menuText(menu({ waiting: 1 })));
    expect(menuText(menu({}))).not.toBe(menuText(menu({ state: 'declined', disclosure: 'declined' })));
  });
});
