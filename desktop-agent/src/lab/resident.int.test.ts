import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNetlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { expect, it } from 'vitest';
import { decodeRecord } from '../publish/record.ts';
import { openDiskSpool } from '../publish/spool-disk.ts';
import { builtAgent } from '../testing/agent-process.ts';

/** Gateway and paths share the answers of the same routers: over minutes, the agent must not see loss that it makes itself. */
const reason = netlabUnavailable();
if (reason) process.stderr.write(`SKIPPED: the resident agent in the network lab: ${reason}\n`);
const NOBODY = 65534;

it.skipIf(reason)(
  'finds nothing wrong with a healthy network, turn after turn, while no server can be reached',
  { timeout: 180_000 },
  async () => {
    const lab = await createNetlab();
    const stateDir = await mkdtemp(join(tmpdir(), 'svc-agent-lab-'));
    await chown(stateDir, NOBODY, NOBODY);
    try {
      const agent = lab.start(
        'client',
        [process.execPath, builtAgent, 'run', '--enroll-stdin', '--server', 'https://192.168.77.1:9'],
        {
          env: {
            HOME: stateDir,
            SVC_AGENT_STATE_DIR: stateDir,
            NODE_EXTRA_CA_CERTS: lab.caFile,
            SVC_ENDPOINT_TRACE_TARGETS: `${lab.server.v4},${lab.server.v6}`,
            SVC_ENDPOINT_SESSION_TARGETS: lab.urls.https,
            SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '20',
            SVC_ENDPOINT_PATH_INTERVAL_SECONDS: '35',
            SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '20',
          },
        },
      );
      const ended = new Promise((resolve) => agent.once('exit', resolve));
      agent.stdin?.end(`svc_enr_${'a'.repeat(40)}.${'b'.repeat(43)}\n`);
      await sleep(100_000);
      agent.kill('SIGTERM');
      expect(await ended).toBe(0);
      const spool = await openDiskSpool({ directory: join(stateDir, 'spool'), maxBytes: 20 << 20 });
      const batch = await spool.next({ results: 1000, bytes: 10 << 20 });
      await spool.close();
      const results = (batch?.records ?? []).map((record) => decodeRecord(record).result);
      const verdicts = results.filter((one) => one.canary_type === 'endpoint.attribution');
      expect(verdicts.length).toBeGreaterThan(1);
      for (const verdict of verdicts)
        expect(verdict.attributes['endpoint.cause'], verdict.attributes['endpoint.summary']).toBe('none');
      const gateways = results.filter((one) => one.canary_type === 'endpoint.gateway');
      expect(gateways.map((one) => one.metrics['packets.lost'])).toEqual(gateways.map(() => 0));
      const paths = results.filter((one) => one.canary_type === 'endpoint.lastmile');
      expect(paths.length).toBeGreaterThan(1);
      expect(new Set(paths.map((one) => one.attributes['network.type']))).toEqual(new Set(['ipv4', 'ipv6']));
      expect(verdicts.at(-1)?.metrics['score.isp']).toBeGreaterThan(50);
    } finally {
      await lab.close();
      await rm(stateDir, { recursive: true, force: true });
    }
  },
);
