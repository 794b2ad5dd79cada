import { wifi } from '../../../src/testing/readings.ts';
import { LIKELY, SURE } from './confidence.ts';
import { HOUR_MS, lasting, READINGS, type Situation, settled } from './situation.ts';

const well: Situation['expected'] = { cause: 'none', kind: null, confidence: SURE };
const weak = wifi({ rssiDbm: { value: -82 }, noiseDbm: { value: -102 }, snrDb: { value: 20 } });

/** What a device went through. */
export const HISTORY: readonly Situation[] = [
  {
    name: 'slept',
    truth: 'The line lost packets until the machine slept for two hours; now it is well.',
    hurts: false,
    expected: well,
    play: async ({ lab, rounds, pass }) => {
      await lab.setLink(1, { lossRatio: 0.3 });
      await rounds(READINGS);
      await pass(2 * HOUR_MS);
      await lab.setLink(1, { lossRatio: 0 });
      await rounds(READINGS);
    },
  },
  {
    name: 'other-network-same-gateway',
    truth: 'The network at home lost packets; the one at work, whose gateway has the same address, is well since two minutes.',
    hurts: false,
    expected: well,
    play: async ({ lab, device, rounds }) => {
      await lab.setLink(0, { lossRatio: 0.3 });
      await lab.setLink(1, { delayMs: 100 });
      await rounds(READINGS);
      await lab.setLink(0, { lossRatio: 0 });
      await lab.setLink(1, { delayMs: 0 });
      await device.do({ networkChanged: true });
      await rounds(2);
    },
  },
  {
    name: 'other-network-worse-same-gateway',
    truth: 'The network at home was well; the line at work, behind a gateway of the same address, loses 25 %.',
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_loss', confidence: LIKELY, actor: 'provider' },
    play: async ({ lab, device, rounds }) => {
      await rounds(READINGS);
      await lab.setLink(1, { lossRatio: 0.25 });
      await device.do({ networkChanged: true });
      await rounds(3);
    },
  },
  {
    name: 'docked',
    truth: 'The signal was weak until the device was docked: now it is on a cable.',
    hurts: false,
    expected: well,
    play: async (stage) => {
      await stage.wifi(weak);
      await stage.rounds(READINGS);
      await stage.wifi(null);
      await stage.rounds(READINGS);
    },
  },
  {
    name: 'undocked-into-weak-wifi',
    truth: 'The device was docked; now it is far from its access point.',
    hurts: true,
    expected: { cause: 'wifi', kind: 'wifi_signal', confidence: SURE, actor: 'person' },
    play: async (stage) => {
      await stage.rounds(READINGS);
      await stage.wifi(weak);
      await stage.rounds(READINGS);
    },
  },
  {
    name: 'just-started',
    truth: 'The agent started a moment ago; only the gateway is measured yet.',
    hurts: false,
    partial: true,
    expected: { cause: 'none', kind: 'measuring', confidence: [0, 0.8] },
    play: async ({ device, rounds, measure }) => {
      await rounds(READINGS);
      await device.do({ restart: true });
      await measure('gateway');
    },
  },
  {
    name: 'just-woke',
    truth:
      'The line lost packets until the machine slept for ten minutes; it woke a moment ago, and only radio and gateway are measured.',
    hurts: false,
    partial: true,
    expected: { cause: 'none', kind: 'measuring', confidence: [0, 0.8] },
    play: async ({ lab, device, rounds, measure, pass }) => {
      await lab.setLink(1, { lossRatio: 0.3 });
      await rounds(READINGS);
      await pass(HOUR_MS / 6);
      await lab.setLink(1, { lossRatio: 0 });
      await device.do({ slept: true });
      await measure('wifi', 'gateway');
    },
  },
  {
    name: 'just-joined',
    truth:
      'The device joined another network a moment ago, of which only the gateway is measured; the line it left lost packets.',
    hurts: false,
    partial: true,
    expected: { cause: 'none', kind: 'measuring', confidence: [0, 0.8] },
    play: async ({ lab, device, rounds, measure }) => {
      await lab.setLink(1, { lossRatio: 0.3 });
      await rounds(READINGS);
      await lab.setLink(1, { lossRatio: 0 });
      await device.do({ networkChanged: true });
      await measure('gateway');
    },
  },
  {
    name: 'woke-on-a-dead-line',
    truth: 'The line went dead while the machine slept for two hours; everything was measured once since.',
    hurts: true,
    expected: {
      cause: ['isp', 'network', 'unknown'],
      kind: ['isp_loss', 'service_unreachable', 'dns_failing'],
      confidence: [0, 0.7],
    },
    play: async ({ lab, rounds, pass, measure }) => {
      await rounds(READINGS);
      await pass(2 * HOUR_MS);
      await lab.setLink(1, { lossRatio: 1 });
      await measure('sessions', 'paths');
      await measure('gateway');
    },
  },
  {
    name: 'slept-first-round',
    truth: 'The line lost packets until the machine slept for two hours; it is well, and everything was measured once since.',
    hurts: false,
    expected: well,
    play: async ({ lab, rounds, pass, measure }) => {
      await lab.setLink(1, { lossRatio: 0.3 });
      await rounds(READINGS);
      await pass(2 * HOUR_MS);
      await lab.setLink(1, { lossRatio: 0 });
      await measure('paths', 'sessions', 'resolvers');
      await measure('gateway', 'wifi');
    },
  },
  {
    name: 'restarted-into-loss',
    truth: 'The line loses 20 %, and the agent started anew a few minutes ago.',
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_loss', confidence: SURE, actor: 'provider' },
    play: async ({ lab, device, rounds }) => {
      await lab.setLink(1, { lossRatio: 0.2 });
      await rounds(3);
      await device.do({ restart: true });
      await rounds(READINGS);
    },
  },
  {
    name: 'slower-than-usual',
    truth: 'The provider’s line takes 180 ms where it takes 40 on other days.',
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_delay', confidence: SURE, actor: 'provider' },
    play: async (stage) => {
      await stage.lab.setLink(1, { delayMs: 20 });
      await settled(({ lab }) => lab.setLink(1, { delayMs: 90 }))(stage);
    },
  },
  {
    name: 'slow-line-slower-than-usual',
    truth: 'A line that takes 300 ms on other days takes 850 today.',
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_delay', confidence: LIKELY, actor: 'provider' },
    play: async (stage) => {
      await stage.lab.setLink(1, { delayMs: 150 });
      await settled(({ lab }) => lab.setLink(1, { delayMs: 425 }))(stage);
    },
  },
];

/** More than one thing is broken: the closest one is blamed. */
export const DOUBLED: readonly Situation[] = [
  {
    name: 'two-gateway-loss-and-503',
    truth: 'The local network loses 20 %, and the service answers 503.',
    hurts: true,
    expected: { cause: 'local', kind: 'gateway_loss', also: 'service_error', confidence: SURE, actor: 'person' },
    play: lasting(async ({ lab }) => {
      await lab.setLink(0, { lossRatio: 0.2 });
      await lab.setServer({ status: 503 });
    }),
  },
  {
    name: 'two-isp-and-path-loss',
    truth: 'The provider’s line loses 15 %, and the last stretch another 15 %.',
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_loss', confidence: SURE, actor: 'provider' },
    play: lasting(async ({ lab }) => {
      await lab.setLink(1, { lossRatio: 0.15 });
      await lab.setLink(3, { lossRatio: 0.15 });
    }),
  },
  {
    name: 'two-gateway-and-isp-delay',
    truth: 'The gateway takes 100 ms, and the provider’s line another 200.',
    hurts: true,
    expected: { cause: 'local', kind: 'gateway_delay', confidence: SURE, actor: 'person' },
    play: lasting(async ({ lab }) => {
      await lab.setLink(0, { delayMs: 50 });
      await lab.setLink(1, { delayMs: 100 });
    }),
  },
  {
    name: 'two-weak-wifi-and-slow-dns',
    truth: 'The device is too far from its access point, and names take 1.9 s.',
    hurts: true,
    expected: { cause: 'wifi', kind: 'wifi_signal', confidence: SURE, actor: 'person' },
    play: lasting(async ({ lab, wifi: use }) => {
      await use(weak);
      await lab.setServer({ dns: { delayMs: 1900 } });
    }),
  },
  {
    name: 'two-isp-delay-and-certificate',
    truth: 'The provider’s line takes 300 ms, and the certificate of the service expired.',
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_delay', also: 'certificate', confidence: SURE, actor: 'provider' },
    play: lasting(async ({ lab }) => {
      await lab.setLink(1, { delayMs: 150 });
      await lab.setServer({ certificate: 'expired' });
    }),
  },
];
