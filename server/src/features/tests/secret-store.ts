import type { Sealer } from '#crypto';
import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';

/** A secret as a runner gets it, to be sealed to its key before it leaves. */
export interface SecretValue {
  name: string;
  /** Where it may be sent: hosts, or hosts with a port. */
  hosts: readonly string[];
  value: string;
}

/** A sealed value belongs to its tenant and name. */
const contextOf = (tenant: TenantId, name: string): string => `test-secret/${tenant}/${name}`;

interface Opening {
  sql: TenantSql;
  sealer: Sealer;
  tenant: TenantId;
}

export async function openSecrets({ sql, sealer, tenant }: Opening, names: readonly string[]): Promise<Map<string, SecretValue>> {
  const text = 'SELECT name, hosts, sealed FROM synthetic_test_credentials WHERE name = ANY ($1)';
  const { rows } = await sql.query<{ name: string; hosts: string[]; sealed: Buffer }>(text, [names]);
  return new Map(
    rows.map(({ name, hosts, sealed }) => [
      name,
      { name, hosts, value: sealer.open(sealed, contextOf(tenant, name)).toString('utf8') },
    ]),
  );
}

export interface SecretRow {
  name: string;
  hosts: string[];
  updated_by: string;
  updated_at: Date;
}

export async function listSecrets(sql: TenantSql): Promise<SecretRow[]> {
  const text = 'SELECT name, hosts, updated_by, updated_at FROM synthetic_test_credentials ORDER BY name';
  return (await sql.query<SecretRow>(text)).rows;
}

export async function putSecret(
  { sql, sealer, tenant }: Opening,
  { value, name, hosts, updated_by, updated_at }: SecretRow & { value: string },
): Promise<void> {
  await sql.query(
    `INSERT INTO synthetic_test_credentials (tenant_id, name, hosts, sealed, updated_by, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (tenant_id, name) DO UPDATE SET hosts = excluded.hosts, sealed = excluded.sealed, updated_by = excluded.updated_by,
       updated_at = excluded.updated_at`,
    [tenant, name, hosts, sealer.seal(value, contextOf(tenant, name)), updated_by, updated_at],
  );
}

export async function putHosts(sql: TenantSql, { name, hosts, updated_by, updated_at }: SecretRow): Promise<void> {
  await sql.query('UPDATE synthetic_test_credentials SET hosts = $2, updated_by = $3, updated_at = $4 WHERE name = $1', [
    ...[name, hosts, updated_by, updated_at],
  ]);
}

export const removeSecret = async (sql: TenantSql, name: string): Promise<boolean> =>
  (await sql.query('DELETE FROM synthetic_test_credentials WHERE name = $1', [name])).rowCount === 1;
