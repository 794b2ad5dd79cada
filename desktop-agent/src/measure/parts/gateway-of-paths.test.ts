import { expect, it } from 'vitest';
import { hop, path } from '../../testing/readings.ts';
import { gatewayOfPaths } from './gateway-of-paths.ts';

const trace = path().value;
const silentHop = { address: null, received: 0, rttAvgMs: null, rttMinMs: null, rttMaxMs: null, lossRatio: null };

it('counts what a trace lost to which nothing answered at all, be it the first', () => {
  const lost = {
    ...trace,
    reached: false,
    hops: [1, 2, 3].map((at) => hop({ hop: at, ...silentHop, segment: null })),
    segments: [],
  };
  expect(gatewayOfPaths([lost, trace])).toMatchObject({ sent: 20, lost: 10, lossRatio: 0.5, reachable: true });
  expect(gatewayOfPaths([trace, lost])).toMatchObject({ sent: 20, lost: 10 });
  expect(gatewayOfPaths([lost, lost])).toBeUndefined();
});

it('counts nothing of a trace in which the gateway alone was silent: it passed all on', () => {
  const [, ...behind] = trace.hops;
  expect(gatewayOfPaths([{ ...trace, hops: [hop(silentHop), ...behind] }, trace])).toMatchObject({ sent: 10, lost: 0 });
});
