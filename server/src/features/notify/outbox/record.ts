import type { Outcome, Reference, TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { NotifyDeps } from '../context.ts';
import {
  type ConnectorChange,
  connectorAfter,
  type LinkFields,
  linkAfter,
  type MessageChange,
  messageAfter,
  type Tried,
} from '../domain/outcome.ts';
import { MAY_BE_CLOSED } from '../domain/step.ts';
import { confirmWait, messageWait } from '../domain/waits.ts';
import { type ClaimedRow, type Job, type LinkRow, linkKey, readLinks } from './rows.ts';
import type { Result } from './send.ts';

const MINE = `SELECT id FROM notify_outbox WHERE id = ANY ($1::uuid[]) AND lease_id = $2 AND state IN ('waiting', 'confirming')
  ORDER BY id FOR UPDATE`;

const KEEP_MESSAGE = `UPDATE notify_outbox SET verb = $2, state = $3, why = $4, said = $5, in_doubt = $6, request = $7,
    due_at = coalesce($8, due_at), attempts = greatest(0, attempts - $9),
    done_at = CASE WHEN $3 IN ('waiting', 'confirming') THEN NULL ELSE $10::timestamptz END, lease_id = NULL, lease_until = NULL
  WHERE id = $1`;

const KEEP_LINK = `UPDATE notify_links SET state = $3, generation = $4, reference = $5, former = $6, opened_at = $7, acknowledged_at = $8,
    resolved_at = $9, note = $10 WHERE incident_id = $1 AND connector_id = $2`;

const KEEP_REFERENCE = `INSERT INTO notify_references (tenant_id, incident_id, connector_id, generation, reference_id, label, url, opened_at)
  VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (tenant_id, incident_id, connector_id, generation)
  DO UPDATE SET reference_id = excluded.reference_id, label = excluded.label, url = excluded.url`;

const ANSWERED = `UPDATE notify_connectors SET last_answer = $2, last_answer_at = $3, failures = 0, failing_since = NULL, blocked_until = NULL,
  last_success_at = CASE WHEN $4 THEN $3 ELSE last_success_at END WHERE id = $1`;
const FAILING = `UPDATE notify_connectors SET last_answer = $2, last_answer_at = $3, failures = failures + 1,
  failing_since = coalesce(failing_since, $3), blocked_until = $4 WHERE id = $1`;
// What an older credential came to does not speak for the one of now.
const BROKEN = `UPDATE notify_connectors SET state = 'broken', state_reason = $2, state_by = NULL, state_at = $3, last_answer = $2,
  last_answer_at = $3 WHERE id = $1 AND secret_version = $4 AND state = 'active' RETURNING id`;

const AGAIN: Result = { is: 'later', afterMs: 0, said: '' };
const PLAIN = { why: '', said: '', inDoubt: false, request: null, dueMs: null, isUncounted: false } as const;

interface Became {
  message: MessageChange;
  link: LinkFields;
  connector?: ConnectorChange | undefined;
}

const toFields = (link: LinkRow): LinkFields => ({
  ...{ state: link.state, generation: link.generation, reference: link.reference, former: link.former, note: link.note },
  isOrigin: link.is_origin,
  openedMs: link.opened_at?.getTime() ?? null,
  acknowledgedMs: link.acknowledged_at?.getTime() ?? null,
  resolvedMs: link.resolved_at?.getTime() ?? null,
});

function ofOutcome(tried: Tried, link: LinkFields, outcome: Outcome): Became {
  const { message, isGone, isDone } = messageAfter(tried, outcome);
  const connector = connectorAfter(tried, outcome);
  if (isDone) return { message, connector, link: linkAfter(link, tried, 'reference' in outcome ? outcome.reference : null) };
  return { message, connector, link: isGone ? { ...link, state: 'gone', note: outcome.said.slice(0, 200) } : link };
}

function ofConfirming(row: ClaimedRow, link: LinkFields, { result, nowMs }: { result: Result; nowMs: number }): Became {
  const base = { ...PLAIN, verb: row.verb };
  if (result.is === 'confirmed')
    return {
      message: { ...base, state: 'confirmed', said: result.said },
      link: { ...link, reference: result.reference ?? link.reference },
    };
  if (result.is === 'failed') {
    const state = result.isFinal ? ('dead' as const) : ('waiting' as const);
    const dueMs = result.isFinal ? null : nowMs + messageWait(row.attempts, null);
    const why = result.isFinal ? 'the provider took it and then refused it' : '';
    // Nothing is there: what was thought to be open waits again.
    const back = row.verb === 'open' && link.state === 'open' ? { ...link, state: 'waiting' as const } : link;
    return { message: { ...base, state, dueMs, why, said: result.said }, link: back };
  }
  const sinceMs = nowMs - (row.doubt_at ?? row.created_at).getTime();
  const waitMs = confirmWait(sinceMs, result.is === 'pending' || result.is === 'later' ? result.afterMs : null);
  if (waitMs === undefined) return { message: { ...base, state: 'accepted' }, link };
  return { message: { ...base, state: 'confirming', request: row.request, dueMs: nowMs + waitMs }, link };
}

/** What a result makes of one message and its link. Pure. */
export function becomeOf(row: ClaimedRow, link: LinkFields, { result, tried }: { result: Result; tried: Tried }): Became {
  const base = { ...PLAIN, verb: row.verb };
  const { nowMs } = tried;
  switch (result.is) {
    case 'outcome':
      return ofOutcome(tried, link, result.outcome);
    case 'found': {
      const verb = 'open' as const;
      const message = { ...base, verb, state: 'sent' as const, said: 'found there: it had been taken' };
      return {
        message,
        link: linkAfter(link, { ...tried, verb }, result.reference),
        connector: { is: 'answered', isSuccess: true, said: message.said },
      };
    }
    case 'assumed': {
      // What may be there anew is not the former object: it is named by its key alone.
      const after = linkAfter(link, { ...tried, verb: row.verb, isNew: result.isNew }, result.isNew ? null : link.reference);
      return { message: { ...base, state: 'accepted', why: result.why }, link: { ...after, note: result.why } };
    }
    case 'dropped': {
      const message = { ...base, state: 'dropped' as const, why: result.why };
      if (result.isUntold && link.state === 'waiting') return { message, link: { ...link, state: 'dropped', note: result.why } };
      return { message, link: row.verb === 'resolve' && row.in_doubt ? { ...link, note: MAY_BE_CLOSED } : link };
    }
    case 'expired':
      return { message: { ...base, state: 'dead', why: 'it was not taken within a day' }, link };
    case 'later': {
      if (row.state === 'confirming') return ofConfirming(row, link, { result, nowMs });
      const dueMs = nowMs + messageWait(row.attempts, result.afterMs);
      return { message: { ...base, state: 'waiting', dueMs, said: result.said, inDoubt: row.in_doubt }, link };
    }
    default:
      return ofConfirming(row, link, { result, nowMs });
  }
}

async function keepLink(sql: TenantSql, before: LinkRow, link: LinkFields): Promise<void> {
  const time = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  const json = (reference: Reference | null): string | null => (reference === null ? null : JSON.stringify(reference));
  const { incident_id: incident, connector_id: connector } = before;
  await sql.query(KEEP_LINK, [
    ...[incident, connector, link.state, link.generation, json(link.reference), json(link.former)],
    ...[time(link.openedMs), time(link.acknowledgedMs), time(link.resolvedMs), link.note],
  ]);
  const { reference } = link;
  if (reference === null || JSON.stringify(reference) === JSON.stringify(before.reference)) return;
  const openedAt = time(link.openedMs) ?? new Date(0);
  const { id, label, url } = reference;
  await sql.query(KEEP_REFERENCE, [incident, connector, link.generation, id, label, url, openedAt]);
}

async function keepConnector(
  sql: TenantSql,
  { connector }: Job,
  { change, nowMs }: { change: ConnectorChange; nowMs: number },
): Promise<boolean> {
  const now = new Date(nowMs);
  const said = change.said.slice(0, 500);
  if (change.is === 'answered') await sql.query(ANSWERED, [connector.id, said, now, change.isSuccess]);
  else if (change.is === 'failing') await sql.query(FAILING, [connector.id, said, now, new Date(nowMs + change.waitMs)]);
  else return ((await sql.query(BROKEN, [connector.id, said, now, connector.secret_version])).rowCount ?? 0) > 0;
  return false;
}

async function keepMessage(
  sql: TenantSql,
  id: string,
  { message, nowMs }: { message: MessageChange; nowMs: number },
): Promise<void> {
  const due = message.dueMs === null ? null : new Date(message.dueMs);
  await sql.query(KEEP_MESSAGE, [
    ...[id, message.verb, message.state, message.why, message.said.slice(0, 500), message.inDoubt, message.request, due],
    ...[message.isUncounted ? 1 : 0, new Date(nowMs)],
  ]);
}

/** The words that are counted in the own metrics. */
export type Recorded = MessageChange['state'] | 'possible_repeat' | 'broken';

/**
 * Writes what came of a call: messages, their links and their connector, in one transaction. Gives undefined where another worker has taken
 * them up meanwhile, whose word it is then. The link is locked first, as whoever plans does.
 */
export async function recordResult(
  deps: NotifyDeps,
  { tenant, job }: { tenant: TenantId; job: Job },
  { messages, result }: { messages: Job['messages']; result: Result },
): Promise<Recorded[] | undefined> {
  return await deps.relational.withSystemSql(tenant, async (sql) => {
    const nowMs = deps.clock.now();
    const rows = messages.map(({ row }) => row);
    const links = await readLinks(sql, rows, true);
    const ids = rows.map(({ id }) => id);
    // Whoever planned since counts on what was on its way: it is dropped only while the incident is as it was then.
    const incidents = rows.map((row) => row.incident_id);
    const now = result.is === 'dropped' ? await deps.readIncidents(sql, incidents) : [];
    const mine = new Set((await sql.query<{ id: string }>(MINE, [ids, job.lease])).rows.map(({ id }) => id));
    if (mine.size === 0) return undefined;
    const recorded: Recorded[] = [];
    let change: ConnectorChange | undefined;
    for (const [at, { row, incident }] of messages.entries()) {
      const link = links.get(linkKey(row));
      if (!link || !mine.has(row.id)) continue;
      const of =
        result.is === 'outcome' ? result : { verb: row.verb, isNew: result.is === 'found' && result.isNew, isRepeat: false };
      const { attempts, expires_at: expires } = row;
      const tried: Tried = {
        ...{ verb: of.verb, isNew: of.isNew, wasInDoubt: row.in_doubt, attempts, nowMs },
        ...{ expiresMs: expires.getTime(), failures: job.connector.failures },
      };
      const newer = now.find(({ id }) => id === incident.id) ?? incident;
      const isPast = newer.status !== incident.status || newer.openSignalCount !== incident.openSignalCount;
      const became = becomeOf(row, toFields(link), { result: isPast ? AGAIN : result, tried });
      await keepMessage(sql, row.id, { message: became.message, nowMs });
      await keepLink(sql, link, became.link);
      change ??= became.connector;
      recorded.push(became.message.state, ...(of.isRepeat && at === 0 ? ['possible_repeat' as const] : []));
    }
    if (change && (await keepConnector(sql, job, { change, nowMs }))) {
      const object = { type: 'notify_connector', id: job.connector.id };
      await deps.appendAudit(sql, { actor: { kind: 'system', id: 'notify' }, action: 'notify_connector.break', object });
      recorded.push('broken');
    }
    return recorded;
  });
}
