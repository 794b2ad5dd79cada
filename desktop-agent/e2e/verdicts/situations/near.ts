import { LIKELY, SURE, UNSURE } from './confidence.ts';
import { startDownload } from './load.ts';
import { begun, lasting, type Situation } from './situation.ts';

const local = (kind: 'gateway_loss' | 'gateway_delay' | 'gateway_unreachable' | 'queueing'): Situation['expected'] => ({
  cause: 'local',
  kind,
  confidence: SURE,
  actor: 'person',
});
const isp = (kind: 'isp_loss' | 'isp_delay'): Situation['expected'] => ({
  cause: 'isp',
  kind,
  confidence: SURE,
  actor: 'provider',
});
const CUT = { lossRatio: 1, lossBackRatio: 1 } as const;

/** Between the device and its gateway. */
export const LOCAL: readonly Situation[] = [
  {
    name: 'gateway-loss',
    truth: 'The cable to the gateway loses 15 %.',
    hurts: true,
    expected: local('gateway_loss'),
    play: lasting(({ lab }) => lab.setLink(0, { lossRatio: 0.15 })),
  },
  {
    name: 'gateway-loss-back',
    truth: 'From the gateway to the device 15 % are lost, the other way nothing.',
    hurts: true,
    expected: local('gateway_loss'),
    play: lasting(({ lab }) => lab.setLink(0, { lossBackRatio: 0.15 })),
  },
  {
    name: 'gateway-loss-bursts',
    truth: 'The local network loses packets in bursts, one in five altogether.',
    hurts: true,
    expected: local('gateway_loss'),
    play: lasting(({ lab }) => lab.setLink(0, { bursts: { enter: 0.06, leave: 0.25 } })),
  },
  {
    name: 'gateway-delay',
    truth: 'The local network takes 80 ms to the gateway and back.',
    hurts: true,
    expected: local('gateway_delay'),
    play: lasting(({ lab }) => lab.setLink(0, { delayMs: 40 })),
  },
  {
    name: 'gateway-jitter',
    truth: 'The local network takes 0 to 200 ms, packet by packet.',
    hurts: true,
    expected: local('gateway_delay'),
    play: lasting(({ lab }) => lab.setLink(0, { jitterMs: 100 })),
  },
  {
    name: 'gateway-gone',
    truth: 'The gateway is switched off.',
    hurts: true,
    expected: local('gateway_unreachable'),
    play: begun(({ root }) => root('r1', 'ip link set inner down')),
  },
  {
    name: 'gateway-mute',
    truth: 'Nothing passes between device and gateway, from the start.',
    hurts: true,
    expected: local('gateway_unreachable'),
    play: lasting(({ lab }) => lab.setLink(0, CUT)),
  },
  {
    name: 'queue-local',
    truth: 'A download of the device fills the queue of a slow local link.',
    hurts: true,
    expected: { ...local('queueing'), confidence: LIKELY },
    play: begun(async (stage) => {
      await stage.lab.setLink(0, { rateKbps: 3000 });
      await startDownload(stage);
    }),
  },
];

/** Between the gateway and the provider's first router. */
export const ISP: readonly Situation[] = [
  {
    name: 'isp-loss',
    truth: "The provider's line loses 15 %.",
    hurts: true,
    expected: isp('isp_loss'),
    play: lasting(({ lab }) => lab.setLink(1, { lossRatio: 0.15 })),
  },
  {
    name: 'isp-loss-back',
    truth: "The provider's line loses 15 % towards the device alone.",
    hurts: true,
    expected: isp('isp_loss'),
    play: begun(({ lab }) => lab.setLink(1, { lossBackRatio: 0.15 })),
  },
  {
    name: 'isp-loss-bursts',
    truth: "The provider's line loses packets in bursts, one in five altogether.",
    hurts: true,
    expected: isp('isp_loss'),
    play: lasting(({ lab }) => lab.setLink(1, { bursts: { enter: 0.06, leave: 0.25 } })),
  },
  {
    name: 'isp-delay',
    truth: "The provider's line takes 200 ms where nothing is known of this network yet.",
    hurts: true,
    expected: isp('isp_delay'),
    play: lasting(({ lab }) => lab.setLink(1, { delayMs: 100 })),
  },
  {
    name: 'isp-down',
    truth: "The provider's line went dead; the gateway is well.",
    hurts: true,
    expected: { ...isp('isp_loss'), confidence: LIKELY },
    play: begun(({ lab }) => lab.setLink(1, CUT)),
  },
  {
    name: 'isp-down-from-the-start',
    truth: "The provider's line was dead before the agent started, so that nothing beyond the gateway was ever seen.",
    hurts: true,
    expected: { cause: ['isp', 'unknown'], kind: ['isp_loss', 'service_unreachable'], confidence: UNSURE, actor: 'provider' },
    play: lasting(({ lab }) => lab.setLink(1, CUT)),
  },
  {
    name: 'queue-isp',
    truth: "A download of the device fills the queue of the provider's line.",
    hurts: true,
    expected: { cause: 'isp', kind: 'queueing', confidence: LIKELY, actor: 'person' },
    play: begun(async (stage) => {
      await stage.lab.setLink(1, { rateKbps: 3000 });
      await startDownload(stage);
    }),
  },
];
