import { SERVER } from '@svc/testkit/netlab/netlab';
import { LIKELY, SURE } from './confidence.ts';
import { APP, begun, CRM, lasting, MAIL, type Situation } from './situation.ts';

const dns = (kind: 'dns_slow' | 'dns_failing' | 'dns_lying'): Situation['expected'] => ({
  cause: 'network',
  kind,
  confidence: SURE,
  actor: 'it',
});
const proxy: Situation['expected'] = { cause: 'network', kind: 'proxy', confidence: SURE, actor: 'it' };
const viaProxy = { proxy: `http://${SERVER.v4}:3128` } as const;

/** Name resolution. */
export const NAMES: readonly Situation[] = [
  {
    name: 'dns-slow-3-s',
    truth: 'Names take 3 s to resolve; all else is quick.',
    hurts: true,
    expected: dns('dns_slow'),
    play: lasting(async ({ lab }) => {
      // As long as systems wait by default: the lab's usual 2 s would end the look-up.
      await lab.setResolvers([SERVER.v4], 5);
      await lab.setServer({ dns: { delayMs: 3000 } });
    }),
  },
  {
    name: 'dns-slow-nothing-else',
    truth: 'Names take 900 ms to resolve, and what is opened is still there within 1.5 s.',
    hurts: false,
    expected: { cause: 'none', kind: 'dns_slow', confidence: LIKELY, actor: 'it' },
    play: lasting(({ lab }) => lab.setServer({ dns: { delayMs: 900 } })),
  },
  {
    name: 'dns-slow-three-services',
    truth: 'Names take 1.9 s for each of three services.',
    hurts: true,
    device: { sessionTargets: [APP, CRM, MAIL] },
    expected: dns('dns_slow'),
    play: begun(({ lab }) => lab.setServer({ dns: { delayMs: 1900 } })),
  },
  {
    name: 'dns-first-silent',
    truth: 'The first of two resolvers is silent: each name waits 2 s for the second.',
    hurts: true,
    expected: { ...dns('dns_slow'), kind: ['dns_slow', 'dns_failing'] },
    play: begun(async ({ lab }) => {
      await lab.setResolvers([SERVER.v4, SERVER.v6]);
      await lab.setServer({ dns: { mode: 'silent' } });
    }),
  },
  {
    name: 'dns-silent',
    truth: 'The resolver answers nothing.',
    hurts: true,
    expected: dns('dns_failing'),
    play: begun(({ lab }) => lab.setServer({ dns: { mode: 'silent' } })),
  },
  {
    name: 'dns-servfail',
    truth: 'The resolver answers SERVFAIL to everything.',
    hurts: true,
    expected: dns('dns_failing'),
    play: lasting(({ lab }) => lab.setServer({ dns: { mode: 'servfail' } })),
  },
  {
    name: 'dns-nxdomain',
    truth: 'The resolver says of every name that it does not exist.',
    hurts: true,
    expected: { ...dns('dns_failing'), kind: ['dns_failing', 'dns_lying'] },
    play: begun(({ lab }) => lab.setServer({ dns: { mode: 'nxdomain' } })),
  },
  {
    name: 'dns-lying-dead-address',
    truth: 'The resolver gives, for every name, an address where nothing listens.',
    hurts: true,
    expected: { ...dns('dns_lying'), confidence: LIKELY },
    play: begun(({ lab }) => lab.setServer({ dns: { mode: 'lying', answer: '203.0.113.9' } })),
  },
  {
    name: 'dns-lying-private-address',
    truth: 'The resolver gives, for every name, a private address where nothing is.',
    hurts: true,
    expected: { ...dns('dns_lying'), confidence: LIKELY },
    play: lasting(({ lab }) => lab.setServer({ dns: { mode: 'lying', answer: '192.168.77.99' } })),
  },
  {
    name: 'dns-lossy',
    truth: 'The resolver leaves two of three queries unanswered.',
    hurts: true,
    expected: { ...dns('dns_failing'), kind: ['dns_failing', 'dns_slow'] },
    play: begun(({ lab }) => lab.setServer({ dns: { lossRatio: 0.67 } })),
  },
  {
    name: 'dns-second-silent',
    truth: 'The second of two resolvers is silent; the first answers at once, and nobody notices.',
    hurts: false,
    expected: { cause: 'none', kind: [null, 'dns_failing'], confidence: LIKELY },
    play: lasting(async ({ lab }) => {
      await lab.setResolvers([SERVER.v4, SERVER.v6]);
      await lab.setServer({ dns6: { mode: 'silent' } });
    }),
  },
  {
    name: 'dns-none-configured',
    truth: 'The device has no resolver.',
    hurts: true,
    expected: dns('dns_failing'),
    play: lasting(({ lab }) => lab.setResolvers([])),
  },
];

/** A proxy that IT put there. */
export const PROXY: readonly Situation[] = [
  {
    name: 'proxy-407',
    truth: 'The proxy wants a password.',
    hurts: true,
    device: viaProxy,
    expected: proxy,
    play: lasting(({ lab }) => lab.setServer({ proxy: { status: 407 } })),
  },
  {
    name: 'proxy-403',
    truth: 'The proxy refuses this service.',
    hurts: true,
    device: viaProxy,
    expected: proxy,
    play: lasting(({ lab }) => lab.setServer({ proxy: { status: 403 } })),
  },
  {
    name: 'proxy-refused',
    truth: 'Nothing listens where the proxy should be.',
    hurts: true,
    device: viaProxy,
    expected: proxy,
    play: begun(({ lab }) => lab.setServer({ proxy: { listening: false } })),
  },
  {
    name: 'proxy-slow',
    truth: 'The proxy takes 2.5 s to open a tunnel.',
    hurts: true,
    device: viaProxy,
    expected: { ...proxy, confidence: LIKELY },
    play: lasting(({ lab }) => lab.setServer({ proxy: { delayMs: 2500 } })),
  },
];
