import { LIKELY, SURE } from './confidence.ts';
import { begun, lasting, type Situation, settled } from './situation.ts';

const path = (kind: 'path_loss' | 'path_delay'): Situation['expected'] => ({
  cause: 'network',
  kind,
  confidence: SURE,
  actor: 'provider',
});

/** The service is traced by the name by which it is opened, elsewhere by its address. */
const byName = { traceTargets: ['app.lab.test'] } as const;

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
    name: 'path-loss-nothing-slow',
    truth: 'The way to a traced address loses 30 %; no service in use lies there.',
    hurts: false,
    device: { traceTargets: ['203.0.113.2', '203.0.113.10'] },
    expected: { cause: 'none', kind: 'path_loss', confidence: LIKELY, actor: 'provider' },
    play: lasting(({ lab }) => lab.setLink(2, { rules: [{ to: '203.0.113.2', lossRatio: 0.3 }] })),
  },
];
