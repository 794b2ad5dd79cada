import { LIKELY, SURE } from './confidence.ts';
import { begun, lasting, type Situation, type Stage, settled } from './situation.ts';

const path = (kind: 'path_loss' | 'path_delay'): Situation['expected'] => ({
  cause: 'network',
  kind,
  confidence: SURE,
  actor: 'provider',
});

/** The service is traced by the name by which it is opened, elsewhere by its address. */
const byName = { traceTargets: ['app.lab.test'] } as const;

/** The router behind the gateway answers from a private address, as those of a company's own network do. */
const makeEdgePrivate = ({ root }: Stage): Promise<void> =>
  root('r2', 'ip addr add 10.20.0.2/32 dev inner; ip route replace 192.168.77.0/24 via 198.51.100.1 dev inner src 10.20.0.2');

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
    device: byName,
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
    name: 'path-loss-two-stretches',
    truth: 'Both stretches behind the edge lose 12 %.',
    hurts: true,
    device: byName,
    expected: path('path_loss'),
    play: lasting(async ({ lab }) => {
      await lab.setLink(2, { lossRatio: 0.12 });
      await lab.setLink(3, { lossRatio: 0.12 });
    }),
  },
  {
    name: 'path-delay-nothing-slow',
    truth: 'A stretch behind the edge takes 180 ms instead of none; what is opened is still quick enough.',
    hurts: false,
    expected: { cause: 'none', kind: 'path_delay', confidence: LIKELY, actor: 'provider' },
    play: settled(({ lab }) => lab.setLink(2, { delayMs: 90 })),
  },
  {
    name: 'far-as-every-day',
    truth:
      'The service is so far away, 850 ms as on every day, that it takes over three seconds; nothing is lost and nothing is late.',
    hurts: true,
    expected: { cause: 'network', kind: 'distance', confidence: LIKELY, actor: 'nobody' },
    play: async (stage) => {
      await stage.lab.setLink(2, { delayMs: 425 });
      await settled(async () => undefined)(stage);
    },
  },
  {
    name: 'private-hop-loss',
    truth: 'Behind the gateway stands a private router of the company; on the way to it 20 % are lost.',
    hurts: true,
    expected: { cause: 'local', kind: 'lan_loss', confidence: [0.4, 0.7], actor: 'it' },
    play: async (stage) => {
      await makeEdgePrivate(stage);
      await begun(({ lab }) => lab.setLink(1, { lossRatio: 0.2 }))(stage);
    },
  },
  {
    name: 'private-hop-delay',
    truth: 'Behind the gateway stands a private router of the company; the way to it takes 200 ms.',
    hurts: true,
    expected: { cause: 'local', kind: 'lan_delay', confidence: [0.4, 0.7], actor: 'it' },
    play: async (stage) => {
      await makeEdgePrivate(stage);
      await lasting(({ lab }) => lab.setLink(1, { delayMs: 100 }))(stage);
    },
  },
  {
    name: 'private-hop-and-line-loses',
    truth: 'Behind the gateway stands a private router of the company, and all is well up to it; the line behind it loses 20 %.',
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_loss', confidence: SURE, actor: 'provider' },
    play: async (stage) => {
      await makeEdgePrivate(stage);
      await lasting(({ lab }) => lab.setLink(2, { lossRatio: 0.2 }))(stage);
    },
  },
  {
    name: 'healthy-private-hop',
    truth: 'Behind the gateway stands a private router of the company, and nothing is wrong.',
    hurts: false,
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: async (stage) => {
      await makeEdgePrivate(stage);
      await lasting(async () => undefined)(stage);
    },
  },
  {
    name: 'ipv6-leads-nowhere',
    truth: 'IPv6 is there and leads nowhere: each connection waits for it before it goes over IPv4, and is still quick enough.',
    hurts: false,
    expected: { cause: 'none', kind: 'ipv6_broken', confidence: [0, 0.7], actor: 'it' },
    play: lasting(async ({ lab, root }) => {
      // Systems prefer IPv6 where the device has a global address.
      await root('client', 'ip addr add 2001:db8:77::2/64 dev eth0 nodad');
      await lab.setLink(1, { rules: [{ to: lab.server.v6, lossRatio: 1 }] });
    }),
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
