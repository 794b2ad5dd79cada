import pg from 'pg';

/** SQL as a role that row-level security does not hold: what an operator of the database can do. Closes its connection. */
export async function queryAsSuperuser(
  access: { port: number; superPassword: string },
  statements: readonly (readonly [text: string, values: readonly unknown[]])[],
): Promise<void> {
  const connectionString = `postgres://postgres:${access.superPassword}@127.0.0.1:${access.port}/svc?sslmode=disable`;
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const [text, values] of statements) await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}
