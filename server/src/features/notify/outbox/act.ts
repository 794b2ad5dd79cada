import { AppError, actorOf, type Ctx } from '#kernel';
import { type NotifyDeps, TELL } from '../context.ts';

const DAY_MS = 86_400_000;

const LINK = `SELECT l.state FROM notify_links l WHERE (l.incident_id, l.connector_id) = (SELECT o.incident_id, o.connector_id
  FROM notify_outbox o WHERE o.id = $1) FOR NO KEY UPDATE`;
const READ = `SELECT o.state, o.lease_until > clock_timestamp() AS is_leased, o.connector_id FROM notify_outbox o WHERE o.id = $1
  FOR UPDATE`;
const RETRY = `UPDATE notify_outbox SET state = 'waiting', why = '', due_at = $2, expires_at = greatest(expires_at, $3), done_at = NULL,
  is_delayed = false WHERE id = $1`;
// A person asked: the connector is tried at once, whatever it asked for.
const UNBLOCK = `UPDATE notify_connectors SET blocked_until = NULL WHERE id = $1 AND blocked_until IS NOT NULL`;
const GIVE_UP = `UPDATE notify_outbox SET state = 'given_up', why = 'given up by a person', done_at = $2, lease_id = NULL, lease_until = NULL WHERE id = $1`;
interface Row {
  state: string;
  is_leased: boolean | null;
  connector_id: string;
}

async function act(deps: NotifyDeps, ctx: Ctx, { id, isRetry }: { id: string; isRetry: boolean }): Promise<void> {
  const { principal } = ctx;
  await deps.relational.withTenantSql(principal.tenant, async (sql) => {
    await sql.query(LINK, [id]);
    const row = (await sql.query<Row>(READ, [id])).rows[0];
    if (!row) throw new AppError('not_found', 'There is no such message.');
    if (row.is_leased) throw new AppError('conflict', 'The message is on its way just now.');
    const may = isRetry ? ['waiting', 'dead', 'given_up'] : ['waiting', 'confirming', 'dead'];
    if (!may.includes(row.state)) throw new AppError('conflict', 'The message is done.');
    const now = deps.clock.now();
    if (isRetry) {
      await sql.query(RETRY, [id, new Date(now), new Date(now + DAY_MS)]);
      await sql.query(UNBLOCK, [row.connector_id]);
      await sql.query(TELL);
    } else await sql.query(GIVE_UP, [id, new Date(now)]);
    const object = { type: 'notify_message', id };
    const action = isRetry ? 'notify_message.retry' : 'notify_message.give_up';
    await deps.appendAudit(sql, { actor: actorOf(principal), action, object });
  });
}

/** Sends a message at once that waits, is dead or was given up; it has another day. */
export const retryMessage = (deps: NotifyDeps, ctx: Ctx, id: string): Promise<void> => act(deps, ctx, { id, isRetry: true });

/** Never sends it. */
export const giveUpMessage = (deps: NotifyDeps, ctx: Ctx, id: string): Promise<void> => act(deps, ctx, { id, isRetry: false });
