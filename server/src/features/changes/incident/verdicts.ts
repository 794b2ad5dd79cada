import type { MarkChange } from '@svc/contracts/changes/change';
import type { ChangeVerdict } from '@svc/contracts/changes/kinds';
import type { z } from 'zod';
import { AppError, actorOf, type Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import type { ChangesDeps } from '../context.ts';
import { readChange } from '../store/list.ts';

/** Of one incident. */
const MAX_VERDICTS = 1000;

export interface VerdictRow {
  change_id: string;
  verdict: ChangeVerdict;
  set_by: string;
  set_at: Date;
}

export const readVerdicts = async (sql: TenantSql, incident: string): Promise<VerdictRow[]> =>
  (
    await sql.query<VerdictRow>('SELECT change_id, verdict, set_by, set_at FROM change_verdicts WHERE incident_id = $1', [
      incident,
    ])
  ).rows;

const PUT = `INSERT INTO change_verdicts AS v (tenant_id, incident_id, change_id, verdict, set_by, set_at)
  VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, incident_id, change_id) DO UPDATE SET verdict = excluded.verdict, set_by = excluded.set_by, set_at = excluded.set_at
  WHERE v.verdict <> excluded.verdict`;

/** Says that a change caused an incident, or did not, or takes that back; with its entry in the trail. Idempotent. */
export async function markChange(
  {
    relational,
    describeIncident,
    noteJudged,
    appendAudit,
    clock,
  }: Pick<ChangesDeps, 'relational' | 'describeIncident' | 'noteJudged' | 'appendAudit' | 'clock'>,
  { principal }: Ctx,
  { id, change, verdict }: z.infer<typeof MarkChange>,
): Promise<void> {
  await relational.withTenantSql(principal.tenant, async (sql) => {
    await describeIncident(sql, id);
    await readChange(sql, change);
    const at = new Date(clock.now());
    const said = await readVerdicts(sql, id);
    if (verdict !== null && said.length >= MAX_VERDICTS && !said.some((one) => one.change_id === change))
      throw new AppError('conflict', `${MAX_VERDICTS} changes of this incident are judged, the most possible.`);
    const { rowCount } =
      verdict === null
        ? await sql.query('DELETE FROM change_verdicts WHERE incident_id = $1 AND change_id = $2', [id, change])
        : await sql.query(PUT, [id, change, verdict, principal.id, at]);
    if (!rowCount) return;
    await noteJudged(sql, id, at);
    const detail = { incident: id, verdict: verdict ?? 'taken back' };
    await appendAudit(sql, { actor: actorOf(principal), action: 'change.judge', object: { type: 'change', id: change }, detail });
  });
}
