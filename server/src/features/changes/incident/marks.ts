import type { ChangeMarks, ChangeMarksQuery } from '@svc/contracts/changes/change';
import type { z } from 'zod';
import { parseAnyPrefix, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { anchorOf } from '../domain/anchor.ts';
import { CHANGE_COLUMNS, type ChangeRow, presentChange } from '../store/rows.ts';
import { createWhere } from '../store/where.ts';

const MOST = 200;

/** `203.0.113.0/24`, as incidents and webhooks name networks; no URL and no host with a path. */
const isNetwork = (target: string): boolean => /^[\da-fA-F.:]+\/\d{1,3}$/.test(target) && parseAnyPrefix(target) !== undefined;

/** Changes on these targets and on networks around them, in a span of time: what charts mark. */
export async function changesOn(
  relational: Relational,
  tenant: TenantId,
  { targets, from, to }: z.infer<typeof ChangeMarksQuery>,
): Promise<{ rows: ChangeRow[]; total: number }> {
  const prefixes = targets.filter(isNetwork);
  const anchors = targets.filter((target) => !isNetwork(target)).map((target) => anchorOf({ target, prefix: null }));
  const values = [...new Set(anchors.flatMap(({ anchor }) => anchor ?? []))];
  if (values.length + prefixes.length === 0) return { rows: [], total: 0 };
  const where = createWhere();
  where.and('c.occurred_at >= ?::timestamptz', from);
  where.and('c.occurred_at < ?::timestamptz', to);
  const addresses = anchors.flatMap(({ address }) =>
    address === null ? [] : [`${address}/${address.includes(':') ? 128 : 32}`],
  );
  where.andAny([where.part('c.anchor = ANY (?::text[])', values), ...where.networks([...addresses, ...prefixes])]);
  const found = `FROM (SELECT c.* FROM changes c ${where.text()} ORDER BY c.occurred_at DESC, c.number DESC LIMIT ${MOST * 10}) c`;
  const { rows } = await relational.withTenantSql(tenant, (sql) =>
    sql.query<ChangeRow & { total: number }>(
      `SELECT ${CHANGE_COLUMNS}, (count(*) OVER ())::int AS total ${found} LIMIT ${MOST}`,
      where.values,
    ),
  );
  return { rows, total: rows[0]?.total ?? 0 };
}

export async function readMarks(
  relational: Relational,
  tenant: TenantId,
  query: z.infer<typeof ChangeMarksQuery>,
): Promise<z.infer<typeof ChangeMarks>> {
  const { rows, total } = await changesOn(relational, tenant, query);
  const items = rows.map((row) => {
    const { id, number, kind, title, target, prefix, occurred_at } = presentChange(row, tenant);
    return { id, number, kind, title, target, prefix, occurred_at };
  });
  return { items, total };
}
