import { readHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import { AppError, type Ctx } from '#kernel';
import type { CodeMatches } from '../api.ts';
import type { EndpointDeps } from '../context.ts';

const MAX_MATCHES = 10;

/**
 * The devices of the tenant that a helpdesk's code may mean, nearly always one, and the minute that it names. `validation` for a code
 * that was typed wrong; none for one of another tenant or of a device that is gone.
 */
export async function findByCode({ relational, clock }: EndpointDeps, ctx: Ctx, input: { code: string }): Promise<CodeMatches> {
  const code = readHelpdeskCode(input.code, clock.now());
  if (!code) {
    const faults = [{ path: 'code', message: 'NOS- and ten characters, one of which is wrong.' }];
    throw new AppError('validation', 'Invalid helpdesk code: a character is wrong or missing.', { faults });
  }
  const text = `SELECT agent_id, name, site FROM endpoint_summary s WHERE s.search LIKE $1 ORDER BY agent_id LIMIT ${MAX_MATCHES}`;
  const { rows } = await relational.withTenantSql(
    ctx.principal.tenant,
    async (sql) => await sql.query<{ agent_id: string; name: string | null; site: string | null }>(text, [`%${code.idTail}`]),
  );
  return {
    at: new Date(code.atMs).toISOString(),
    items: rows.map(({ agent_id: id, name, site }) => ({ id, name, site })),
  };
}
