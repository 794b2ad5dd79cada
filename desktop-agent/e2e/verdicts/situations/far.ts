import { LIKELY, SURE, UNSURE } from './confidence.ts';
import { APP, begun, CRM, lasting, MAIL, type Situation, settled } from './situation.ts';

const network = (kind: Situation['expected']['kind'], actor: Situation['expected']['actor']): Situation['expected'] => ({
  cause: 'network',
  kind,
  confidence: SURE,
  ...(actor ? { actor } : {}),
});
const path = (kind: 'path_loss' | 'path_delay'): Situation['expected'] => network(kind, 'provider');

/** Beyond the provider's first router. */
export const PATH: readonly Situation[] = [
  {
    name: 'path-loss-hop-3',
    truth: 'Behind the provider’s edge, 20 % are lost on the way to everything.',
    hurts: true,
    expected: path('path_loss'),
    play: lasting(({ lab }) => lab.setLink(2, { lossRatio: 0.2 })),
  },
  {
    name: 'path-loss-last-hop',
    truth: 'On the last stretch to the service 20 % are lost.',
    hurts: true,
    expected: path('path_loss'),
    play: lasting(({ lab }) => lab.setLink(3, { lossRatio: 0.2 })),
  },
  {
    name: 'path-loss-bursts',
    truth: 'Two hops behind the edge, packets are lost in bursts, one in four.',
    hurts: true,
    expected: path('path_loss'),
    play: begun(({ lab }) => lab.setLink(2, { bursts: { enter: 0.08, leave: 0.25 } })),
  },
  {
    name: 'path-delay-hop-3',
    truth: 'Behind the edge a stretch takes 500 ms, and sessions need over two seconds for it.',
    hurts: true,
    expected: path('path_delay'),
    play: lasting(({ lab }) => lab.setLink(2, { delayMs: 250 })),
  },
  {
    name: 'path-delay-last-hop',
    truth: 'The last stretch to the service takes 500 ms, and sessions need over two seconds for it.',
    hurts: true,
    expected: path('path_delay'),
    play: begun(({ lab }) => lab.setLink(3, { delayMs: 250 })),
  },
  {
    name: 'path-delay-nothing-slow',
    truth: 'A stretch behind the edge takes 180 ms instead of none; what is opened is still quick enough.',
    hurts: false,
    expected: { cause: 'none', kind: 'path_delay', confidence: LIKELY, actor: 'provider' },
    play: settled(({ lab }) => lab.setLink(2, { delayMs: 90 })),
  },
  {
    name: 'path-loss-nothing-slow',
    truth: 'The way to a traced address loses 30 %; no service in use lies there.',
    hurts: false,
    device: { traceTargets: ['203.0.113.2', '203.0.113.10'] },
    expected: { cause: 'none', kind: 'path_loss', confidence: LIKELY, actor: 'provider' },
    play: lasting(({ lab }) => lab.setLink(2, { rules: [{ to: '203.0.113.2', lossRatio: 0.3 }] })),
  },
];

/** The far end, and what names of it are said to be. */
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
    name: 'certificate-expired',
    truth: 'The certificate of the service expired two days ago.',
    hurts: true,
    expected: network('certificate', 'service'),
    play: lasting(({ lab }) => lab.setServer({ certificate: 'expired' })),
  },
  {
    name: 'certificate-other-name',
    truth: 'The certificate of the service is for another name.',
    hurts: true,
    expected: network('certificate', 'service'),
    play: lasting(({ lab }) => lab.setServer({ certificate: 'other_name' })),
  },
  {
    name: 'certificate-unknown-authority',
    truth: 'The certificate of the service is of an authority that the device does not know.',
    hurts: true,
    expected: network('certificate', 'it'),
    play: lasting(({ lab }) => lab.setServer({ certificate: 'unknown_authority' })),
  },
  {
    name: 'certificate-one-of-three',
    truth: 'The certificate of one of three services expired.',
    hurts: true,
    device: { sessionTargets: [APP, CRM, MAIL] },
    expected: network('certificate', 'service'),
    play: begun(({ lab }) => lab.setServer({ sites: { 'crm.lab.test': { certificate: 'expired' } } })),
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
