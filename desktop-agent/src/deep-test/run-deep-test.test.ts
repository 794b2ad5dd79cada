import type { LineView } from '@svc/contracts/agent/deep-test';
import type { DeepTestPart } from '@svc/contracts/agent/deep-test-facts';
import type { GatewayRequest } from '@svc/probes/gateway';
import type { PathRequest } from '@svc/probes/path';
import { describe, expect, it } from 'vitest';
import { gateway, path } from '../testing/readings.ts';
import { type DeepTestDeps, type DeepTestResult, runDeepTest } from './run-deep-test.ts';

const line: LineView = { idleMs: 20, upload: null, download: null, fault: null };

function testing(change: Partial<DeepTestDeps> = {}) {
  const log: string[] = [];
  const result: Partial<DeepTestResult> = {};
  const parts: DeepTestPart[] = [];
  const deps: DeepTestDeps = {
    probes: {
      measureGateway: async ({ count }: GatewayRequest) => {
        log.push(`ping ${count}`);
        return gateway({ sent: count ?? 0 });
      },
      measurePath: async ({ target, rounds }: PathRequest) => {
        log.push(`trace ${target} ${rounds}`);
        return path({}, target);
      },
      measurePathMtu: async ({ address }) => {
        log.push(`sweep ${address}`);
        return { value: { address, mtuBytes: 1500, lostBytes: null, isBlackHole: false } };
      },
    },
    takeTurn: (work) => work(),
    hasEcho: true,
    loadLine: async () => {
      log.push('load');
      return line;
    },
    hosts: ['crm.example'],
    target: '203.0.113.10',
    signal: new AbortController().signal,
    onPart: (part, change) => {
      parts.push(part);
      Object.assign(result, change);
    },
    resolve: async (host) => (host === 'crm.example' ? '203.0.113.9' : undefined),
    ...change,
  };
  return { log, result, parts, run: () => runDeepTest(deps) };
}

describe('a deeper test', () => {
  it('loads the line first and alone, then sweeps, pings 25 times and traces', async () => {
    const { log, result, parts, run } = testing();
    await run();
    expect(log[0]).toBe('load');
    expect(log.slice(1).sort()).toEqual(['ping 25', 'sweep 203.0.113.9', 'trace 203.0.113.10 5']);
    expect(parts.sort()).toEqual(['line', 'mtu', 'path', 'pings']);
    expect(result.mtu).toEqual([{ host: 'crm.example', mtuBytes: 1500, lostBytes: null, isBlackHole: false }]);
    expect(result.pings).toMatchObject({ sent: 25 });
    expect(result.path).toMatchObject({ target: '203.0.113.10', reached: true });
  });

  it('reads the pings from the trace where the gateway answers no echo', async () => {
    const { log, result, run } = testing({ hasEcho: false });
    await run();
    expect(log).not.toContain('ping 25');
    expect(log).toContain('trace 203.0.113.10 12');
    expect(result.pings).toMatchObject({ sent: 10, received: 10 });
  });

  it('sends fewer pings that expire at the gateway, so that the time is enough', async () => {
    const { log, run } = testing({ hasEcho: false, target: undefined });
    await run();
    expect(log).toContain('ping 12');
  });

  it('traces nothing where nothing is chosen, and says of a name that cannot be found that nothing is known', async () => {
    const { log, result, run } = testing({ target: undefined, hosts: ['gone.example'] });
    await run();
    expect(log).toEqual(['load', 'ping 25']);
    expect(result.path).toBeNull();
    expect(result.mtu).toEqual([{ host: 'gone.example', mtuBytes: null, lostBytes: null, isBlackHole: false }]);
  });

  it('keeps what was found where a part fails, and rejects with the reason when aborted', async () => {
    const broken = testing({ resolve: () => Promise.reject(new Error('no resolver')) });
    await expect(broken.run()).rejects.toThrow('no resolver');
    expect(broken.result.path).toMatchObject({ reached: true });
    const control = new AbortController();
    const aborted = testing({
      signal: control.signal,
      loadLine: async () => {
        control.abort(new Error('paused'));
        return line;
      },
    });
    await expect(aborted.run()).rejects.toThrow('paused');
  });
});
