import { readWifiRecording, replayWifi } from '@svc/native/testing/recordings';
import { describeWifi } from '@svc/native/wifi/linux';
import { wifi } from '../../../src/testing/readings.ts';
import { LIKELY, SURE } from './confidence.ts';
import { lasting, READINGS, type Situation } from './situation.ts';

const none = { unavailable: 'not_supported' } as const;
const weak = wifi({ rssiDbm: { value: -82 }, noiseDbm: { value: -102 }, snrDb: { value: 20 } });
const faulty = (kind: 'wifi_signal' | 'wifi_noise'): Situation['expected'] => ({
  cause: 'wifi',
  kind,
  confidence: SURE,
  actor: 'person',
});

/** What a radio counts from one reading to the next, on an access point that is near enough. */
const counted = (counters: Readonly<Record<string, number>>): ReturnType<typeof wifi> => ({
  ...wifi({ rssiDbm: { value: -58 }, noiseDbm: none, snrDb: none }),
  ...Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, { value }])),
});
const airtime: Situation['expected'] = { cause: 'wifi', kind: 'wifi_airtime', confidence: LIKELY, actor: 'it' };

/** What a kernel's radio answered, recorded. */
const recorded = describeWifi(replayWifi(readWifiRecording('rec-connected')), { name: 'wlan1', tunnel: false }, true);

/** The radio link, by what its driver tells. */
export const RADIO: readonly Situation[] = [
  {
    name: 'wifi-weak',
    truth: 'The device is too far from its access point (−82 dBm).',
    hurts: true,
    expected: faulty('wifi_signal'),
    play: lasting((stage) => stage.wifi(weak)),
  },
  {
    name: 'wifi-weak-percent',
    truth: 'The device is too far from its access point, and its system tells percent only (20 %).',
    hurts: true,
    expected: faulty('wifi_signal'),
    play: lasting((stage) => stage.wifi(wifi({ rssiDbm: none, noiseDbm: none, snrDb: none, signalPercent: { value: 20 } }))),
  },
  {
    name: 'wifi-noise',
    truth: 'Something drowns the radio: 8 dB above the noise, at −62 dBm.',
    hurts: true,
    expected: faulty('wifi_noise'),
    play: lasting((stage) => stage.wifi(wifi({ rssiDbm: { value: -62 }, noiseDbm: { value: -70 }, snrDb: { value: 8 } }))),
  },
  {
    name: 'healthy-wifi-recorded',
    truth: 'Nothing is wrong; the radio is one that was recorded.',
    hurts: false,
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: lasting((stage) => stage.wifi(recorded)),
  },
  {
    name: 'wifi-channel-busy',
    truth:
      'Others fill the channel: it is in use 92 % of the time, 3 % of it by this device; the signal is good, pings are late.',
    hurts: true,
    expected: airtime,
    play: lasting(async (stage) => {
      await stage.wifi(counted({ channelBusyRatio: 0.92, channelTransmitRatio: 0.03, retryRatio: 0.2, failedRatio: 0.01 }));
      await stage.lab.setLink(0, { jitterMs: 60 });
    }),
  },
  {
    name: 'wifi-interference',
    truth:
      'Something disturbs the radio, and no noise figure tells: half of the frames are sent again, beacons are missed, 10 % is lost.',
    hurts: true,
    expected: { ...airtime, kind: ['wifi_airtime', 'wifi_noise'] },
    play: lasting(async (stage) => {
      await stage.wifi(counted({ retryRatio: 0.55, failedRatio: 0.12, beaconsLost: 20 }));
      await stage.lab.setLink(0, { lossRatio: 0.1 });
    }),
  },
  {
    name: 'healthy-wifi-busy-by-itself',
    truth: 'The channel is busy because this device itself sends; a few frames are sent again, and nothing is late.',
    hurts: false,
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: lasting((stage) =>
      stage.wifi(counted({ channelBusyRatio: 0.7, channelTransmitRatio: 0.6, retryRatio: 0.08, failedRatio: 0, beaconsLost: 0 })),
    ),
  },
  {
    name: 'wifi-weak-and-loss',
    truth: 'The device is too far from its access point, and 20 % of its packets are lost on the way to the gateway for it.',
    hurts: true,
    expected: faulty('wifi_signal'),
    play: lasting(async (stage) => {
      await stage.wifi(weak);
      await stage.lab.setLink(0, { lossRatio: 0.2 });
    }),
  },
  {
    name: 'wifi-good-gateway-loss',
    truth: 'The radio is good; behind the access point the local network loses 20 %.',
    hurts: true,
    expected: { cause: 'local', kind: 'gateway_loss', confidence: SURE, actor: 'person' },
    play: lasting(async (stage) => {
      await stage.wifi(wifi());
      await stage.lab.setLink(0, { lossRatio: 0.2 });
    }),
  },
  {
    name: 'wifi-weak-once',
    truth: 'The signal was weak in one reading of five.',
    hurts: false,
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: async (stage) => {
      await stage.wifi(wifi());
      await stage.rounds(READINGS - 1);
      await stage.wifi(weak);
      await stage.rounds(1);
    },
  },
  {
    name: 'wifi-roamed',
    truth: 'The signal was weak until the device changed to a nearer access point, five minutes ago.',
    hurts: false,
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: async (stage) => {
      await stage.wifi(weak);
      await stage.rounds(READINGS);
      await stage.wifi(wifi({ rssiDbm: { value: -48 }, channel: { value: 100 }, frequencyMhz: { value: 5500 } }));
      await stage.rounds(READINGS);
    },
  },
  {
    name: 'wifi-denied',
    truth: 'The system does not let the agent read the radio; all else is well.',
    hurts: false,
    partial: true,
    expected: { cause: 'none', kind: null, confidence: LIKELY },
    play: lasting((stage) =>
      stage.wifi(
        wifi({
          rssiDbm: { unavailable: 'permission' },
          noiseDbm: { unavailable: 'permission' },
          snrDb: { unavailable: 'permission' },
          ssid: { unavailable: 'permission' },
        }),
      ),
    ),
  },
];
