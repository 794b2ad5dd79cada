import type { SetSecret, TestSecret } from '@svc/contracts/tests/keeping';
import { splitHostPort } from '@svc/contracts/tests/target';
import type { z } from 'zod';
import { AppError, actorOf, type Ctx, type Fault } from '#kernel';
import type { TestsContext } from './context.ts';
import { secretsOfTest } from './domain/secret-references.ts';
import { namedBy } from './people.ts';
import { listSecrets, putHosts, putSecret, removeSecret, type SecretRow } from './secret-store.ts';
import { tellReplicas } from './store.ts';

const MAX_SECRETS = 500;

/** Hosts as they are compared: lower case, each once, in order. */
function demandHosts(hosts: readonly string[]): string[] {
  const faults: Fault[] = [];
  const read = hosts.map((text, index) => {
    const parts = splitHostPort(text.trim().replace(/\.$/, ''));
    const path = `hosts.${index}`;
    if (!parts) faults.push({ path, message: `“${text.slice(0, 253)}” is no host. Write a name or an address.` });
    else if (parts.port !== undefined)
      faults.push({ path, message: 'A secret is bound to a host, whatever the port. Leave the port out.' });
    return text.trim().toLowerCase();
  });
  if (faults.length > 0) throw new AppError('validation', 'Some hosts are not valid.', { faults });
  return [...new Set(read)].sort();
}

export async function listTestSecrets(context: TestsContext, { principal: { tenant } }: Ctx): Promise<{ items: TestSecret[] }> {
  const rows = await context.relational.withTenantSql(tenant, listSecrets);
  const { list } = await context.cache.read(tenant);
  const by = await namedBy(
    context,
    tenant,
    rows.map((row) => row.updated_by),
  );
  const users = list.map((test) => ({ id: test.id, name: test.name, secrets: secretsOfTest(test) }));
  return {
    items: rows.map(({ updated_at, updated_by, ...row }) => ({
      ...row,
      updated_by: by(updated_by),
      updated_at: updated_at.toISOString(),
      tests: users.filter(({ secrets }) => secrets.includes(row.name)).map(({ id, name }) => ({ id, name })),
    })),
  };
}

/** A value that nobody sent again goes to no host that it did not go to before: else whoever may write tests would read it. */
function demandFewerHosts(before: SecretRow | undefined, hosts: readonly string[]): void {
  if (!before)
    throw new AppError('validation', 'A new secret needs a value.', {
      faults: [{ path: 'value', message: 'It needs a value.' }],
    });
  const added = hosts.filter((host) => !before.hosts.includes(host));
  if (added.length === 0) return;
  const message = `Send the value again to let it go to ${added.join(', ')}.`;
  throw new AppError('validation', message, { faults: [{ path: 'hosts', message }] });
}

export async function setSecret(
  context: TestsContext,
  ctx: Ctx,
  { name, hosts: written, value }: z.output<typeof SetSecret>,
): Promise<void> {
  const hosts = demandHosts(written);
  const { tenant } = ctx.principal;
  const { relational, sealer, clock, appendAudit } = context;
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query("SELECT pg_advisory_xact_lock(hashtextextended('test-secrets/' || current_setting('app.tenant_id'), 0))");
    const known = await listSecrets(sql);
    const before = known.find((row) => row.name === name);
    const row = { name, hosts, updated_by: ctx.principal.id, updated_at: new Date(clock.now()) };
    if (value === undefined) {
      demandFewerHosts(before, hosts);
      await putHosts(sql, row);
    } else {
      if (!before && known.length >= MAX_SECRETS)
        throw new AppError('conflict', `A tenant has at most ${MAX_SECRETS} secrets of tests. Delete some first.`);
      await putSecret({ sql, sealer, tenant }, { ...row, value });
    }
    const detail = { value: value === undefined ? 'kept' : before ? 'replaced' : 'new', hosts: hosts.length };
    await appendAudit(sql, {
      actor: actorOf(ctx.principal),
      action: 'test_secret.set',
      object: { type: 'test_secret', id: name },
      detail,
    });
    await tellReplicas(sql);
  });
}

export async function dropSecret({ relational, appendAudit }: TestsContext, ctx: Ctx, { name }: { name: string }): Promise<void> {
  await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    if (!(await removeSecret(sql, name))) throw new AppError('not_found', 'There is no such secret.');
    await appendAudit(sql, {
      actor: actorOf(ctx.principal),
      action: 'test_secret.remove',
      object: { type: 'test_secret', id: name },
    });
    await tellReplicas(sql);
  });
}
