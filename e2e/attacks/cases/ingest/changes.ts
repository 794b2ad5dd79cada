import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { attack } from '../../harness/attack.ts';
import type { Ground } from '../../harness/ground.ts';
import { newMark } from '../../harness/victim.ts';

interface Made {
  webhook: { id: string };
  secret: string;
}

const sign = (secret: string, body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function makeWebhook(ground: Ground, token: string): Promise<Made> {
  const answer = await ground.api('/v1/change-webhooks', { token, json: { provider: 'generic', name: newMark() } });
  expect(answer.status).toBe(201);
  return JSON.parse(answer.body) as Made;
}

const send = async (ground: Ground, id: string, { body, signature }: { body: string; signature: string }) =>
  await ground.api(`/ingest/changes/generic/${id}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-svc-signature': signature },
  });

/** Changes of a tenant that bear a mark. */
async function changesOf(ground: Ground, token: string, mark: string): Promise<{ title: string; tenant_id: string }[]> {
  const answer = await ground.api(`/v1/changes?search=${mark}`, { token });
  return (JSON.parse(answer.body) as { items: { title: string; tenant_id: string }[] }).items;
}

attack({
  name: 'a delivery is stored for the tenant of its webhook alone, whatever its body says, and by its secret alone',
  surfaces: ['POST /ingest/changes/:provider/:id', 'topic svc.changes'],
  cost: 'short',
  async run(ground) {
    const [hostile, victim] = [ground.hostile, ground.victim];
    const [mine, theirs] = [await makeWebhook(ground, hostile.tokens.admin), await makeWebhook(ground, victim.tokens.admin)];
    const mark = `m${randomUUID().slice(0, 8)}`;
    const body = JSON.stringify({
      ...{ title: mark, occurred_at: new Date().toISOString(), tenant: victim.tenant, tenant_id: victim.tenant },
      ...{ attributes: { tenant_id: victim.tenant }, webhook_id: theirs.webhook.id },
    });
    const own = sign(mine.secret, body);
    for (const signature of ['', own, own.toUpperCase(), `${own}, ${own}`, own.slice(0, -2), sign('', body)])
      expect([signature, (await send(ground, theirs.webhook.id, { body, signature })).status]).toEqual([signature, 401]);
    for (const id of ['', 'nobody', '..%2f', `${theirs.webhook.id}%00`, 'x'.repeat(2000)])
      expect([401, 404, 400, 414]).toContain((await send(ground, id, { body, signature: own })).status);
    // A signature over this body lets no other one in.
    expect((await send(ground, mine.webhook.id, { body: body.replace(mark, 'other'), signature: own })).status).toBe(401);
    for (let again = 0; again < 3; again += 1)
      expect((await send(ground, mine.webhook.id, { body, signature: own })).status).toBe(202);
    for (let i = 0; i < 100 && (await changesOf(ground, hostile.tokens.admin, mark)).length === 0; i += 1) await sleep(50);
    expect(await changesOf(ground, hostile.tokens.admin, mark)).toMatchObject([{ title: mark, tenant_id: hostile.tenant }]);
    expect(await changesOf(ground, victim.tokens.admin, mark)).toEqual([]);
  },
});

attack({
  name: 'bodies that cost much to read are answered in a moment, and leave others their own',
  surfaces: ['POST /ingest/changes/:provider/:id'],
  cost: 'short',
  async run(ground) {
    const { secret, webhook } = await makeWebhook(ground, ground.hostile.tokens.admin);
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const wide = JSON.stringify({ events: Array.from({ length: 40_000 }, () => ({ title: 'x' })) });
    const long = JSON.stringify({ title: 'x'.repeat(900_000), occurred_at: new Date().toISOString() });
    for (const body of [deep, wide, long, '\u0000'.repeat(500_000), '{"a":'.repeat(100_000)]) {
      const { status, ms } = await send(ground, webhook.id, { body, signature: sign(secret, body) });
      expect({ status, inTime: ms < 5_000 }).toEqual({ status: 202, inTime: true });
    }
    const tooLarge = 'x'.repeat(1024 * 1024 + 1);
    expect((await send(ground, webhook.id, { body: tooLarge, signature: sign(secret, tooLarge) })).status).toBe(413);
  },
});
