import { describe, expect, it } from 'vitest';
import { type RadioCounters, ratiosBetween } from './radio-counters.ts';
import { createRadioWatch } from './radio-watch.ts';
import { silentRadio } from './silent-radio.ts';

const before: RadioCounters = {
  link: 'wlan0 5180',
  connectedSeconds: 100,
  frames: { sent: 1000, retried: 50, tries: 1050, failed: 5, beaconsLost: 1 },
  airtime: { activeMs: 10_000, busyMs: 2000, transmitMs: 100 },
};
const later = (change: Partial<RadioCounters> = {}): RadioCounters => ({
  link: 'wlan0 5180',
  connectedSeconds: 130,
  frames: { sent: 1300, retried: 150, tries: 1450, failed: 105, beaconsLost: 4 },
  airtime: { activeMs: 40_000, busyMs: 23_000, transmitMs: 1600 },
  ...change,
});
const frames = { retryRatio: 0.25, failedRatio: 0.25, beaconsLost: 3 };
const airtime = { channelBusyRatio: 0.7, channelTransmitRatio: 0.05 };

describe('what a radio counted between two looks', () => {
  it.each<[string, RadioCounters, object]>([
    ['is a share of what was sent and of the time', later(), { ...frames, ...airtime }],
    ['is nothing on another channel or interface', later({ link: 'wlan0 2412' }), {}],
    ['has no frames over a new association, though its counters are higher', later({ connectedSeconds: 3 }), airtime],
    [
      'has no frames where their count went back',
      later({ frames: { sent: 40, retried: 200, tries: 240, failed: 200, beaconsLost: 9 } }),
      airtime,
    ],
    [
      'leaves out the counter that went back alone',
      later({ frames: { sent: 1300, retried: 2, tries: 1302, failed: 105, beaconsLost: 4 } }),
      { failedRatio: 0.25, beaconsLost: 3, ...airtime },
    ],
    [
      'says nothing of loss from a handful of frames',
      later({ frames: { sent: 1010, retried: 60, tries: 1070, failed: 5, beaconsLost: 4 } }),
      { beaconsLost: 3, ...airtime },
    ],
    [
      'keeps to one where drivers count more failures than frames',
      later({ frames: { sent: 1000, retried: 80, tries: 1080, failed: 65, beaconsLost: 1 } }),
      { retryRatio: 1, failedRatio: 1, beaconsLost: 0, ...airtime },
    ],
    ['has no airtime where the survey was reset', later({ airtime: { activeMs: 500, busyMs: 400, transmitMs: 1 } }), frames],
    [
      'has no airtime where busy is more than all',
      later({ airtime: { activeMs: 11_000, busyMs: 9000, transmitMs: 200 } }),
      frames,
    ],
    [
      'has no airtime where the radio did not listen',
      later({ airtime: { ...before.airtime, activeMs: 10_000, busyMs: 2000, transmitMs: 100 } }),
      frames,
    ],
    [
      'does without what the driver does not tell',
      later({ frames: undefined, airtime: { activeMs: 40_000, busyMs: undefined, transmitMs: undefined } }),
      {},
    ],
  ])('%s', (_name, now, ratios) => expect(ratiosBetween(before, now)).toEqual(ratios));
});

it('a reader has none of it at first, keeps no counters in what it gives and begins anew without a radio', async () => {
  const readings = [
    { ...silentRadio('wifi', 'not_supported'), counters: before },
    { ...silentRadio('wifi', 'not_supported'), counters: later() },
    silentRadio('wired', 'wired'),
    { ...silentRadio('wifi', 'not_supported'), counters: later() },
  ];
  const read = createRadioWatch(async () => readings.shift() ?? silentRadio('unknown', 'not_connected'));
  const seen = [];
  for (let i = 0; i < 4; i += 1) seen.push(await read({ collectSsid: false }));
  expect(seen.map(({ retryRatio, channelBusyRatio }) => [retryRatio, channelBusyRatio])).toEqual([
    [undefined, undefined],
    [{ value: 0.25 }, { value: 0.7 }],
    [undefined, undefined],
    [undefined, undefined],
  ]);
  expect(JSON.stringify(seen)).not.toContain('counters');
});
