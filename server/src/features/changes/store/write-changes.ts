import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ChangeDelivery, DeliveredChange } from '@svc/contracts/changes/delivery';
import { uuidv7 } from 'uuidv7';
import type { TenantSql } from '#relational';
import { anchorOf, type ChangeAnchor, NOWHERE } from '../domain/anchor.ts';
import { type KeptChange, mergeChange } from '../domain/merge.ts';
import { SEARCH_COLUMNS, searchBits } from '../domain/search-bits.ts';
import { createRuleFinder, type Rule, type RuleFinder } from '../domain/target-rules.ts';

/** Rows of one statement. */
const AT_ONCE = 1000;
const MAX_SEARCH = 3000;

const ENDED = ['succeeded', 'failed', 'cancelled'];

/** Whoever stores changes of a tenant holds its counter until the transaction ends: they take turns, and numbers leave no gap. */
const COUNTER = `INSERT INTO change_counters AS c (tenant_id) VALUES (current_setting('app.tenant_id'))
  ON CONFLICT (tenant_id) DO UPDATE SET last_number = c.last_number RETURNING last_number::float8 AS number`;
const COUNTED = `UPDATE change_counters SET last_number = $1 WHERE tenant_id = current_setting('app.tenant_id')`;

/** A time as KeptChange has it. */
const time = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column}`;

const KNOWN = `SELECT c.id, c.number::float8 AS number, c.webhook_id, c.key, c.source, c.kind, c.title, c.summary, c.target, c.anchor,
    host(c.address) AS address, c.network::text AS network, c.target_from, c.actor, c.ref, c.url, c.attributes, c.repository, c.environment, c.paths,
    ${['occurred_at', 'told_at', 'began_at', 'finished_at', 'state_at', 'received_at'].map((name) => time(name)).join(', ')}, c.state, c.search
  FROM changes c JOIN jsonb_to_recordset($1::jsonb) AS n (webhook_id text, key text) ON n.webhook_id = c.webhook_id AND n.key = c.key`;

const TYPES = {
  ...{
    id: 'uuid',
    number: 'bigint',
    webhook_id: 'text',
    key: 'text',
    source: 'text',
    kind: 'text',
    title: 'text',
    summary: 'text',
  },
  ...{
    target: 'text',
    anchor: 'text',
    address: 'inet',
    network: 'inet',
    target_from: 'text',
    actor: 'text',
    ref: 'text',
    url: 'text',
  },
  ...{
    attributes: 'jsonb',
    repository: 'text',
    environment: 'text',
    paths: 'text[]',
    occurred_at: 'timestamptz',
    told_at: 'timestamptz',
  },
  ...{ began_at: 'timestamptz', finished_at: 'timestamptz', state: 'text', state_at: 'timestamptz', received_at: 'timestamptz' },
  search: 'text',
} as const satisfies Record<keyof KeptChange, string>;
/** Written with what is kept, and read by searches alone. */
const WRITTEN: Readonly<Record<string, string>> = {
  ...TYPES,
  ...Object.fromEntries(SEARCH_COLUMNS.map((column) => [column, 'bigint'])),
};
const NAMES = Object.keys(WRITTEN);
const NEVER_CHANGED = ['id', 'number', 'webhook_id', 'key', 'received_at'];

const WRITE = `INSERT INTO changes (tenant_id, ${NAMES.join(', ')})
  SELECT current_setting('app.tenant_id'), ${NAMES.map((name) => `n.${name}`).join(', ')}
  FROM jsonb_to_recordset($1::jsonb) AS n (${Object.entries(WRITTEN)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})
  ON CONFLICT (tenant_id, webhook_id, key) DO UPDATE SET ${NAMES.filter((name) => !NEVER_CHANGED.includes(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

interface Table {
  rules: readonly Rule[];
  finder: Pick<RuleFinder, 'find'>;
}

/** Where a change happens: as it says itself, else as the first row of its webhook's table that fits. */
function placeChange(
  change: DeliveredChange,
  { rules, finder }: Table,
): { anchor: ChangeAnchor; from: 'change' | 'table' | null } {
  const own = anchorOf(change);
  if (own.anchor !== null || own.prefix !== null) return { anchor: own, from: 'change' };
  const rule = rules[finder.find(change)];
  return rule ? { anchor: anchorOf(rule), from: 'table' } : { anchor: NOWHERE, from: null };
}

const searchOf = (
  change: Pick<DeliveredChange, 'title' | 'summary' | 'actor' | 'ref' | 'repository'>,
  target: string | null,
): string =>
  [change.title, target, change.actor, change.ref, change.repository, change.summary]
    .flatMap((text) => (text ? [text] : []))
    .join('\n')
    .toLowerCase()
    .slice(0, MAX_SEARCH)
    .toWellFormed();

const nameOf = ({ webhook_id, key }: Pick<KeptChange, 'webhook_id' | 'key'>): string => `${webhook_id} ${key}`;

function toRow(delivery: ChangeDelivery, change: DeliveredChange, table: Table): KeptChange {
  const { anchor, from } = placeChange(change, table);
  const { occurred_at: told, state, state_at: at } = change;
  const began = state === 'running' ? at : null;
  return {
    ...change,
    ...{ id: uuidv7(), number: 0, webhook_id: delivery.webhook, target_from: from },
    ...{ target: anchor.target, anchor: anchor.anchor, address: anchor.address, network: anchor.prefix },
    ...{ told_at: told, began_at: began, occurred_at: began ?? told },
    finished_at: state !== null && ENDED.includes(state) ? at : null,
    received_at: delivery.received_at,
    search: searchOf(change, anchor.target),
  };
}

/** What is known of these, held until the transaction ends: whoever writes holds the counter. */
async function readKnown(sql: TenantSql, rows: readonly KeptChange[]): Promise<Map<string, KeptChange>> {
  const names = JSON.stringify(rows.map(({ webhook_id, key }) => ({ webhook_id, key })));
  return new Map((await sql.query<KeptChange>(KNOWN, [names])).rows.map((row) => [nameOf(row), row]));
}

function* cutIntoParts<R>(rows: readonly R[]): Generator<R[]> {
  for (let at = 0; at < rows.length; at += AT_ONCE) yield rows.slice(at, at + AT_ONCE);
}

/** Writes what these deliveries tell of, in their order; idempotent. */
export async function writeChanges(
  sql: TenantSql,
  deliveries: readonly ChangeDelivery[],
  rulesOf: (webhook: string) => readonly Rule[],
): Promise<void> {
  const rows: KeptChange[] = [];
  for (const delivery of deliveries) {
    const rules = rulesOf(delivery.webhook);
    const table = { rules, finder: createRuleFinder(rules) };
    for (const one of delivery.changes) rows.push(toRow(delivery, one, table));
    // Other tenants have their turn: this one's patterns may take all of their effort with each.
    await yieldToOthers();
  }
  if (rows.length === 0) return;
  let number = (await sql.query<{ number: number }>(COUNTER)).rows[0]?.number ?? 0;
  for (const part of cutIntoParts(rows)) {
    const kept = await readKnown(sql, part);
    for (const row of part) {
      const known = kept.get(nameOf(row));
      kept.set(nameOf(row), known ? mergeChange(known, row) : { ...row, number: ++number });
    }
    await sql.query(WRITE, [JSON.stringify([...kept.values()].map((row) => ({ ...row, ...searchBits(row.search) })))]);
  }
  await sql.query(COUNTED, [number]);
}
