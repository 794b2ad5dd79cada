import { setTimeout as sleep } from 'node:timers/promises';
import { RUNNER_SERVICE } from '@svc/contracts/tests/runner-messages';
import { renewCanary } from '@svc/runner/remote/enrol';
import { expect } from 'vitest';
import { CONNECT, connectAgent, openAgentStream, PUBLISH } from '../harness/agents.ts';
import { attack } from '../harness/attack.ts';
import type { Ground } from '../harness/ground.ts';
import { enrolRunner, enrolWith } from '../harness/runners.ts';

const OWN = [RUNNER_SERVICE.connect.path, RUNNER_SERVICE.publish.path];

/** Messages that somebody gets on a stream on which nothing of theirs should be served. */
async function served(ground: Ground, path: string, device: Parameters<typeof connectAgent>[1]): Promise<number> {
  const session = connectAgent(ground.doors.agents, device);
  const stream = openAgentStream(session, path);
  for (let i = 0; i < 100 && stream.ended() === undefined && !session.destroyed; i += 1) await sleep(20);
  session.destroy();
  return stream.messages.length;
}

attack({
  name: 'a runner is served by no service of agents, and an agent or nobody by none of runners',
  surfaces: [...OWN, CONNECT, PUBLISH].map((path) => `grpc ${path}`),
  cost: 'short',
  async run(ground) {
    const runner = await enrolRunner(ground, ground.hostile);
    const asAgent = { keyPem: runner.key_pem, identity: { chain: runner.chain } } as Parameters<typeof connectAgent>[1];
    for (const path of OWN)
      for (const device of [undefined, ground.hostile.device]) expect(await served(ground, path, device)).toBe(0);
    for (const path of [CONNECT, PUBLISH]) expect(await served(ground, path, asAgent)).toBe(0);
  },
});

attack({
  name: 'a token of devices enrols no runner, and nobody renews a runner without its key, or one that was removed',
  surfaces: ['POST /runner/v1/enroll', 'POST /runner/v1/renew', 'trpc runners.remove'],
  cost: 'short',
  async run(ground) {
    const token = ground.hostile.tokens.admin;
    const made = JSON.parse((await ground.api('/v1/enrol-tokens', { token, json: { uses: 1 } })).body) as { token: string };
    await expect(enrolWith(ground, made.token.replace('svc_enr_', 'svc_run_'))).rejects.toThrow(/refused/);
    const [mine, theirs] = [await enrolRunner(ground, ground.hostile), await enrolRunner(ground, ground.victim)];
    const { runner_id, tenant_id } = theirs;
    await expect(renewCanary({ ...mine, runner_id, tenant_id })).rejects.toThrow(/refused/);
    await expect(renewCanary({ ...mine, runner_id })).rejects.toThrow(/refused/);
    const removed = await ground.trpc('runners.remove', { id: theirs.runner_id }, { token, mutation: true });
    expect(removed.status).toBe(404);
    await expect(renewCanary(theirs)).resolves.toMatchObject({ runner_id });
    expect((await ground.trpc('runners.remove', { id: mine.runner_id }, { token, mutation: true })).status).toBe(200);
    await expect(renewCanary(mine)).rejects.toThrow(/removed/);
  },
});
