import { expect } from 'vitest';
import { readServerFile } from '../../../server/src/process/database.ts';
import { queryAsSuperuser } from '../../../server/src/relational/test-owner.ts';
import { runServer } from '../../faults/server-process.ts';
import { attack } from '../harness/attack.ts';
import type { Ground } from '../harness/ground.ts';

/** Starts a server with settings that must be refused; gives its exit code and what it wrote. */
async function tryStart(ground: Ground, env: Record<string, string>): Promise<{ code: number | string; output: string }> {
  const { installation } = ground;
  const other = { ...installation, dataDir: `${installation.dataDir}-refused`, env };
  const server = await runServer(other);
  const limit = setTimeout(() => server.child.kill('SIGKILL'), 20_000);
  const code = await server.exited.finally(() => clearTimeout(limit));
  return { code, output: server.output() };
}

const KEY = Buffer.alloc(32, 7).toString('base64');
const FLEET = { SVC_ENVELOPE_KEY: KEY, SVC_PUBLIC_URL: 'https://nos.example.test' };

const IN_CLEAR: readonly Record<string, string>[] = [
  { ...FLEET, SVC_CLICKHOUSE_URL: 'http://svc:a-password@clickhouse.example.test:8123/svc' },
  {
    ...{ ...FLEET, SVC_KAFKA_BROKERS: 'kafka.example.test:9092', SVC_KAFKA_SASL_MECHANISM: 'scram-sha-256' },
    ...{ SVC_KAFKA_SASL_USERNAME: 'svc', SVC_KAFKA_SASL_PASSWORD: 'a-password' },
  },
  {
    ...{ ...FLEET, SVC_KAFKA_BROKERS: 'kafka.example.test:9092', SVC_KAFKA_SASL_MECHANISM: 'plain' },
    ...{ SVC_KAFKA_SASL_USERNAME: 'svc', SVC_KAFKA_SASL_PASSWORD: 'a-password' },
  },
  { ...FLEET, SVC_DATABASE_URL: 'postgresql://svc_app:a-password@postgres.example.test/svc?sslmode=disable' },
  { SVC_OTLP_EXPORT_URL: 'http://collector.example.test:4317', SVC_OTLP_EXPORT_TOKEN: 'a-token' },
];

attack({
  name: 'a password that would cross the network in the clear stops the start with exit code 2, and is not shown',
  surfaces: ['listener SVC_LISTEN_ADDR'],
  cost: 'short',
  async run(ground) {
    const surprises: string[] = [];
    for (const env of IN_CLEAR) {
      const { code, output } = await tryStart(ground, env);
      const what = Object.keys(env)
        .filter((key) => !(key in FLEET))
        .join(' ');
      if (code !== 2) surprises.push(`${what}: ended with ${code}: ${output.slice(-200)}`);
      if (/a-password|a-token/.test(output)) surprises.push(`${what}: shows the secret`);
    }
    expect(surprises).toEqual([]);
  },
});

/** What a tenant may keep of enrol tokens, and how many of them are made by the API here; the rest, which takes minutes, by hand. */
const ENROL_TOKENS = 10_000;
const BY_API = 60;

attack({
  name: 'a tenant that makes as many enrol tokens as it can keeps no server from starting',
  surfaces: ['trpc fleet.enrolTokens.create'],
  cost: 'long',
  limitMs: 120_000,
  async run(ground) {
    const tenant = 'default';
    const token = await ground.svc('token', 'create', '--tenant', tenant, '--role', 'it_admin');
    const many = `INSERT INTO enrol_tokens (tenant_id, id, label, uses, expires_at, created_by)
      SELECT $1, gen_random_uuid(), 'many', 1, now() + interval '1 day', 'attack' FROM generate_series(1, $2::int)`;
    await asSuperuser(ground, [[many, [tenant, ENROL_TOKENS - BY_API / 2]]]);
    const statuses = new Set<number>();
    for (let i = 0; i < BY_API; i += 1) statuses.add((await ground.api('/v1/enrol-tokens', { token, json: { uses: 1 } })).status);
    // The bound was reached, and holds.
    expect([...statuses]).toEqual([201, 409]);
    await ground.restart();
    expect((await ground.api('/readyz')).status).toBe(200);
    await asSuperuser(ground, [["DELETE FROM enrol_tokens WHERE tenant_id = $1 AND label = 'many'", [tenant]]]);
  },
});

const asSuperuser = async ({ installation }: Ground, statements: Parameters<typeof queryAsSuperuser>[1]) => {
  const access = readServerFile(installation.dataDir);
  if (!access) throw new Error('the embedded database does not run');
  await queryAsSuperuser(access, statements);
};

interface Verified {
  ok: boolean;
  head_seq: string;
  remembered: { seq: string } | null;
}

attack({
  name: 'the end of an audit trail that was cut off, its head set back, does not read as whole',
  surfaces: ['trpc audit.verify'],
  cost: 'short',
  async run(ground) {
    const tenant = `cut-${Date.now().toString(36)}`;
    await ground.svc('tenant', 'create', tenant);
    const token = await ground.svc('token', 'create', '--tenant', tenant, '--role', 'admin');
    for (let i = 0; i < 5; i += 1) await ground.api('/v1/tokens', { token, json: { name: `token ${i}`, roles: ['viewer'] } });
    const verify = async () => JSON.parse((await ground.api('/v1/audit/verify', { token })).body) as Verified;
    // What is newer than about a second is not remembered yet (docs/people-and-audit.md).
    const isRemembered = async () => {
      const { ok, head_seq, remembered } = await verify();
      return ok && remembered?.seq === head_seq;
    };
    await expect.poll(isRemembered, { timeout: 10_000, interval: 200 }).toBe(true);
    await asSuperuser(ground, [
      [
        'DELETE FROM audit_entries WHERE tenant_id = $1 AND seq > (SELECT seq - 3 FROM audit_heads WHERE tenant_id = $1)',
        [tenant],
      ],
      [
        `UPDATE audit_heads h SET seq = e.seq, hash = e.hash FROM audit_entries e WHERE h.tenant_id = $1 AND e.tenant_id = $1
          AND e.seq = (SELECT max(seq) FROM audit_entries WHERE tenant_id = $1)`,
        [tenant],
      ],
    ]);
    expect({ whole: (await verify()).ok }).toEqual({ whole: false });
  },
});
