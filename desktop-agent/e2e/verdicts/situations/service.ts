import { LIKELY, SURE, UNSURE } from './confidence.ts';
import { APP, begun, CRM, lasting, MAIL, READINGS, type Situation } from './situation.ts';

const network = (kind: Situation['expected']['kind'], actor: Situation['expected']['actor']): Situation['expected'] => ({
  cause: 'network',
  kind,
  confidence: SURE,
  ...(actor ? { actor } : {}),
});

/** The far end, and the size of packets on the way there. */
export const SERVICE: readonly Situation[] = [
  {
    name: 'service-500',
    truth: 'The service answers HTTP 500.',
    hurts: true,
    expected: network('service_error', 'service'),
    play: lasting(({ lab }) => lab.setServer({ status: 500 })),
  },
  {
    name: 'service-503',
    truth: 'The service answers HTTP 503.',
    hurts: true,
    expected: network('service_error', 'service'),
    play: begun(({ lab }) => lab.setServer({ status: 503 })),
  },
  {
    name: 'service-hangs-up',
    truth: 'The service takes the request and hangs up.',
    hurts: true,
    expected: network('service_error', 'service'),
    play: lasting(({ lab }) => lab.setServer({ hangsUp: true })),
  },
  {
    name: 'service-resets-tls',
    truth: 'The service resets each connection while TLS begins.',
    hurts: true,
    expected: network('service_error', 'service'),
    play: lasting(({ lab }) => lab.setServer({ https: 'reset' })),
  },
  {
    name: 'service-refused',
    truth: 'Nothing listens at the service: connections are refused.',
    hurts: true,
    expected: network('service_unreachable', 'service'),
    play: begun(({ lab }) => lab.setServer({ https: 'closed' })),
  },
  {
    name: 'service-no-answer',
    truth: 'The service’s host is up, its firewall drops HTTPS.',
    hurts: true,
    expected: network('service_unreachable', 'service'),
    play: lasting(({ lab }) => lab.setLink(3, { rules: [{ port: 443, lossRatio: 1 }] })),
  },
  {
    name: 'service-host-down',
    truth: 'The service’s host is down; the router before it answers.',
    hurts: true,
    device: { sessionTargets: ['https://203.0.113.10/'] },
    expected: network('service_unreachable', 'service'),
    play: begun(({ root }) => root('server', 'ip link set inner down')),
  },
  {
    name: 'service-slow-first-byte',
    truth: 'The service takes 2.5 s for its first byte.',
    hurts: true,
    expected: network('service_slow', 'service'),
    play: lasting(({ lab }) => lab.setServer({ delayMs: 2500 })),
  },
  {
    name: 'service-almost-slow',
    truth: 'The service takes 1.35 s for its first byte, so that what is opened is there within 1.5 s.',
    hurts: false,
    expected: { cause: 'none', kind: 'service_slow', confidence: [0, 0.7], actor: 'service' },
    play: lasting(({ lab }) => lab.setServer({ delayMs: 1350 })),
  },
  {
    name: 'service-slow-body',
    truth: 'The service sends the second half of its answer 2.5 s after the first.',
    hurts: true,
    expected: network('service_slow', 'service'),
    play: lasting(({ lab }) => lab.setServer({ bodyMs: 2500 })),
  },
  {
    name: 'service-slow-hidden-path',
    truth: 'The service takes 2.5 s; no hop beyond the gateway shows itself, so nobody can see that the way is free.',
    hurts: true,
    expected: { cause: 'unknown', kind: 'service_slow', confidence: UNSURE, actor: 'service' },
    play: lasting(async ({ lab }) => {
      await lab.setLink(1, { dropIcmp: 'all' });
      await lab.setServer({ delayMs: 2500 });
    }),
  },
  {
    name: 'service-fails-most-times',
    truth: 'The service answers three of five requests with HTTP 500.',
    hurts: true,
    expected: { ...network('service_error', 'service'), confidence: LIKELY },
    play: async ({ lab, rounds }) => {
      await rounds(READINGS);
      for (const status of [500, 200, 500, 200, 500]) {
        await lab.setServer({ status });
        await rounds(1);
      }
    },
  },
  {
    name: 'service-recovered',
    truth: 'The service answered 503 until five minutes ago.',
    hurts: false,
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: async ({ lab, rounds }) => {
      await lab.setServer({ status: 503 });
      await rounds(READINGS);
      await lab.setServer({ status: 200 });
      await rounds(READINGS);
    },
  },
  {
    name: 'one-of-three-slow',
    truth: 'One of three services takes 2.5 s.',
    hurts: true,
    device: { sessionTargets: [APP, CRM, MAIL] },
    expected: network('service_slow', 'service'),
    play: lasting(({ lab }) => lab.setServer({ sites: { 'crm.lab.test': { delayMs: 2500 } } })),
  },
  {
    name: 'one-of-three-503',
    truth: 'One of three services answers HTTP 503.',
    hurts: true,
    device: { sessionTargets: [APP, CRM, MAIL] },
    expected: network('service_error', 'service'),
    play: begun(({ lab }) => lab.setServer({ sites: { 'mail.lab.test': { status: 503 } } })),
  },
  {
    name: 'mtu-behind-edge',
    truth: 'Behind the edge, packets above 1300 bytes vanish without a word.',
    hurts: true,
    expected: network('mtu', 'it'),
    play: lasting(async ({ lab }) => {
      await lab.setServer({ bytes: 20_000 });
      await lab.setLink(2, { mtu: 1300 });
    }),
  },
  {
    name: 'mtu-at-the-line',
    truth: 'The provider’s line passes 1492 bytes and says nothing of it.',
    hurts: true,
    expected: network('mtu', 'it'),
    play: begun(async ({ lab }) => {
      await lab.setServer({ bytes: 20_000 });
      await lab.setLink(1, { mtu: 1492 });
    }),
  },
];
