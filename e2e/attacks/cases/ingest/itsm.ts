import { createHmac, randomUUID } from 'node:crypto';
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
  const answer = await ground.api('/v1/notify/inbound', { token, json: { provider: 'ticket_a', name: newMark() } });
  expect(answer.status).toBe(201);
  return JSON.parse(answer.body) as Made;
}

const send = async (ground: Ground, place: string, { body, headers }: { body: string; headers: Record<string, string> }) =>
  await ground.api(`/ingest/itsm/${place}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

attack({
  name: 'a delivery of a ticket system is taken by its own secret alone, and does nothing to another tenant',
  surfaces: ['POST /ingest/itsm/:provider/:id'],
  cost: 'short',
  async run(ground) {
    const { hostile, victim } = ground;
    const [mine, theirs] = [await makeWebhook(ground, hostile.tokens.admin), await makeWebhook(ground, victim.tokens.admin)];
    const open = JSON.parse((await ground.api('/v1/incidents', { token: victim.tokens.admin })).body) as {
      items: { id: string; status: string }[];
    };
    const reference = `svc-${open.items[0]?.id ?? randomUUID()}`;
    const body = JSON.stringify({ external_ref: reference, status: 'resolved', tenant: victim.tenant, tenant_id: victim.tenant });
    const own = sign(mine.secret, body);
    const wrong: Record<string, string>[] = [
      {},
      ...['', own, own.toUpperCase(), `${own}, ${own}`, own.slice(0, -2)].map((one) => ({ 'x-svc-signature': one })),
      { 'x-svc-token': mine.secret },
      { 'x-svc-signature': sign('', body) },
      { 'x-svc-token': '' },
    ];
    for (const headers of wrong)
      expect([headers, (await send(ground, `ticket_a/${theirs.webhook.id}`, { body, headers })).status]).toEqual([headers, 401]);
    // A right token does not make a wrong signature good, nor another provider's address its own.
    const both = { 'x-svc-signature': own, 'x-svc-token': theirs.secret };
    expect((await send(ground, `ticket_a/${theirs.webhook.id}`, { body, headers: both })).status).toBe(401);
    const elsewhere = await send(ground, `ticket_b/${mine.webhook.id}`, { body, headers: { 'x-svc-signature': own } });
    expect(elsewhere.status).toBe(401);
    const sent = await send(ground, `ticket_a/${mine.webhook.id}`, { body, headers: { 'x-svc-signature': own } });
    expect([sent.status, sent.body]).toEqual([202, expect.not.stringContaining('resolved')]);
    const after = JSON.parse((await ground.api('/v1/incidents', { token: victim.tokens.admin })).body) as typeof open;
    expect(after.items.map(({ id, status }) => [id, status])).toEqual(open.items.map(({ id, status }) => [id, status]));
  },
});

attack({
  name: 'bodies of ticket systems that cost much to read are answered in a moment',
  surfaces: ['POST /ingest/itsm/:provider/:id'],
  cost: 'short',
  async run(ground) {
    const { secret, webhook } = await makeWebhook(ground, ground.hostile.tokens.admin);
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const long = JSON.stringify({ external_ref: 'x'.repeat(900_000), status: 'resolved' });
    for (const body of [deep, long, '\u0000'.repeat(500_000), '{"sys_id":'.repeat(100_000), '']) {
      const headers = { 'x-svc-signature': sign(secret, body) };
      const { status, ms } = await send(ground, `ticket_a/${webhook.id}`, { body, headers });
      expect({ status, inTime: ms < 3_000 }).toEqual({ status: 202, inTime: true });
    }
    const tooLarge = 'x'.repeat(1024 * 1024 + 1);
    const answer = await send(ground, `ticket_a/${webhook.id}`, {
      body: tooLarge,
      headers: { 'x-svc-signature': sign(secret, tooLarge) },
    });
    expect(answer.status).toBe(413);
  },
});
