import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { createNetlab, type LinkSettings, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { describe, expect, it } from 'vitest';
import { builtAgent } from '../testing/agent-process.ts';

/** The agent as an ordinary user in a network whose faults are known: the verdict must name them. */
const reason = netlabUnavailable();
if (reason) process.stderr.write(`SKIPPED: the agent's verdicts in the network lab: ${reason}\n`);

const TOGETHER = 3;

interface Fault {
  links?: readonly LinkSettings[];
  serverDelayMs?: number;
}

async function judge(lab: Netlab, targets: Record<string, string>) {
  const began = performance.now();
  const run = await lab.exec('client', [process.execPath, builtAgent, 'once', '--json'], {
    env: {
      HOME: '/nonexistent',
      SVC_AGENT_STATE_DIR: '/nonexistent/state',
      NODE_EXTRA_CA_CERTS: lab.caFile,
      SVC_ENDPOINT_SESSION_TARGETS: lab.urls.https,
      ...targets,
    },
  });
  const seconds = (performance.now() - began) / 1000;
  expect(run.code, run.stderr).toBe(0);
  const results = CanonicalResult.array().parse(JSON.parse(run.stdout));
  const verdict = results.findLast((result) => result.canary_type === 'endpoint.attribution');
  return { results, seconds, attributes: verdict?.attributes ?? {}, metrics: verdict?.metrics ?? {}, text: run.stdout };
}

async function withLab<T>(fault: Fault, work: (lab: Netlab) => Promise<T>): Promise<T> {
  const lab = await createNetlab({ links: fault.links ?? [] });
  try {
    if (fault.serverDelayMs !== undefined) await lab.setServer({ delayMs: fault.serverDelayMs });
    return await work(lab);
  } finally {
    await lab.close();
  }
}

const judgeIn = (fault: Fault) => withLab(fault, (lab) => judge(lab, { SVC_ENDPOINT_TRACE_TARGETS: lab.server.v4 }));

/** Agents that measure at once and trace nothing: the gateway answers about one probe a second for all of them together. */
const judgeTogether = (fault: Fault) =>
  withLab(fault, (lab) => Promise.all(Array.from({ length: TOGETHER }, () => judge(lab, {}))));

describe.skipIf(reason)('svc-agent once in the lab', { timeout: 120_000, concurrent: true }, () => {
  it('finds nothing where nothing is wrong, within 30 s, and gives no public address away', async () => {
    const { results, attributes, metrics, seconds, text } = await judgeIn({});
    expect(attributes['endpoint.cause'], attributes['endpoint.summary']).toBe('none');
    expect(seconds).toBeLessThan(32);
    expect(metrics['score.local']).toBeGreaterThan(50);
    expect(metrics['score.isp']).toBeGreaterThan(50);
    expect(attributes['unavailable.score.wifi']).toBe('wired');
    const path = results.find((result) => result.canary_type === 'endpoint.lastmile');
    expect(path?.metrics.hops).toBe(4);
    expect(path?.attributes).toMatchObject({
      'hop.1.address': '192.168.77.1',
      'unavailable.hop.2.address': 'withheld',
      'hop.2.segment': 'isp-edge',
    });
    const session = results.find((result) => result.canary_type === 'endpoint.session');
    expect(session?.success, session?.error).toBe(true);
    for (const phase of ['dns', 'connect', 'tls', 'ttfb', 'total'])
      expect(session?.metrics[`${phase}.ms`]).toBeGreaterThanOrEqual(0);
    expect(text).not.toMatch(/198\.51\.100\.\d|"203\.0\.113\.(1|2|9)"/);
  });

  it('blames a lossy gateway link on the local network', async () => {
    const { attributes } = await judgeIn({ links: [{ lossRatio: 0.4 }] });
    expect(attributes['endpoint.cause'], attributes['endpoint.summary']).toBe('local');
    expect(attributes['endpoint.summary']).toMatch(/the gateway lost \d+ of \d+ probes/);
  });

  it('does not blame a gateway that answers several agents seldom and passes all on', async () => {
    for (const { results, attributes } of await judgeTogether({})) {
      expect(attributes['endpoint.cause'], attributes['endpoint.summary']).toBe('none');
      const read = results.find((result) => result.canary_type === 'endpoint.gateway');
      expect(read).toMatchObject({ success: true, metrics: { 'packets.sent': 25, 'packets.lost': 0 } });
    }
  });

  it('blames a lossy gateway link also where nothing is traced and several agents measure', async () => {
    for (const { attributes } of await judgeTogether({ links: [{ lossRatio: 0.4 }] }))
      expect(attributes['endpoint.cause'], attributes['endpoint.summary']).toBe('local');
  });

  it('blames a slow first public hop on the ISP', async () => {
    const { attributes } = await judgeIn({ links: [{}, { delayMs: 60 }] });
    expect(attributes['endpoint.cause'], attributes['endpoint.summary']).toBe('isp');
    expect(attributes['endpoint.summary']).toMatch(/its first router has been taking 1[2-9]\d/);
  });

  it('blames a slow server on the far network', async () => {
    const { attributes } = await judgeIn({ serverDelayMs: 2000 });
    expect(attributes['endpoint.cause'], attributes['endpoint.summary']).toBe('network');
    expect(attributes['endpoint.summary']).toContain('app.lab.test has been taking');
    expect(attributes['endpoint.summary']).toContain('Gateway and ISP are fine.');
  });

  it('does not know where a slow session without a visible path is slow', async () => {
    const { attributes } = await judgeIn({ links: [{ dropIcmp: 'all' }], serverDelayMs: 2000 });
    expect(attributes['endpoint.cause'], attributes['endpoint.summary']).toBe('unknown');
  });
});
