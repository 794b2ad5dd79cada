import type { TenantId } from '../../server/src/kernel/index.ts';
import { KINDS, type Kind, type Stage } from './chaos-stage.ts';

interface Link {
  incident: string;
  provider: Kind;
  status: string;
  state: string;
  generation: number;
  repeats: number;
  /** Messages that were taken. */
  taken: number;
  /** And those that were tried and then not to be told any more: each may have been taken. */
  tried: number;
  /** Told back to where it came from. */
  echoes: number;
  left: number;
  /** Why those are left that are dead. */
  why: string | null;
  /** What became of each message, in order. */
  fates: string;
}

const LINKS = `SELECT i.id AS incident, c.provider, i.status, l.state, l.generation,
    coalesce(sum(o.repeats), 0)::int AS repeats,
    count(*) FILTER (WHERE o.state IN ('sent', 'accepted', 'confirmed'))::int AS taken,
    count(*) FILTER (WHERE o.state IN ('dropped', 'given_up') AND o.attempts > 0)::int AS tried,
    count(*) FILTER (WHERE o.verb IN ('resolve', 'acknowledge') AND o.actor = 'connector/' || o.connector_id
      AND o.state IN ('sent', 'accepted', 'confirmed', 'confirming'))::int AS echoes,
    count(*) FILTER (WHERE o.state IN ('waiting', 'confirming', 'dead'))::int AS left,
    string_agg(o.verb || ': ' || o.why || ' ' || o.said, '; ') FILTER (WHERE o.state = 'dead') AS why,
    string_agg(o.verb || ' ' || o.state || ' after ' || o.attempts || ' ' || o.why || ' ' || o.said, '; ' ORDER BY o.seq) AS fates
  FROM notify_links l JOIN notify_connectors c ON c.tenant_id = l.tenant_id AND c.id = l.connector_id
    JOIN incidents i ON i.tenant_id = l.tenant_id AND i.id = l.incident_id
    JOIN notify_outbox o ON o.tenant_id = l.tenant_id AND o.incident_id = l.incident_id AND o.connector_id = l.connector_id
  GROUP BY i.id, c.provider, i.status, l.state, l.generation`;

/** Posts that tell of an incident: one that is shared names all of them by their pages. */
const postsOf = ({ sims }: Stage, { incident, provider }: Pick<Link, 'incident' | 'provider'>): number =>
  sims[provider].sim.objects().filter(({ text }) => text.includes(incident)).length;

function judgeLink(stage: Stage, link: Link): string[] {
  const { incident, provider, status, state, generation, repeats, taken, tried, echoes, left, why, fates } = link;
  const faults: string[] = [];
  const say = (isSo: boolean, words: string): void =>
    void (isSo && faults.push(`${provider} ${incident}: ${words} [${fates.slice(0, 600)}]`));
  say(left > 0, `${left} messages are left (${why ?? 'not dead'})`);
  say(echoes > 0, `${echoes} echoes`);
  if (provider === 'chat_b') {
    const posts = postsOf(stage, link);
    say(taken > 0 && posts === 0, 'a post is lost');
    say(posts > taken + tried + repeats, `${posts} posts of ${taken} messages and ${repeats} counted cuts`);
    return faults;
  }
  const objects = stage.sims[provider].sim.objects().filter(({ key }) => key === `svc-${incident}`);
  const open = objects.filter((one) => one.state !== 'resolved').length;
  // Each re-opening may make a new one; what was never open may be none.
  say(objects.length > generation, `${objects.length} objects of ${generation}`);
  say(status !== 'resolved' && open !== 1, `${open} are open (${state})`);
  say(status === 'resolved' && open > 0, `${open} are still open (${state})`);
  // One in doubt whose incident was over meanwhile is resolved by its key, whether it had been taken or not.
  say(objects.length === 0 && state !== 'dropped' && status !== 'resolved', `none was opened (${state})`);
  return faults;
}

/** Whether every provider has one object an incident in its state, no echo happened and nothing is left. */
export async function judge(stage: Stage, tenant: TenantId): Promise<{ faults: string[]; links: number; repeats: number }> {
  const { rows } = await stage.relational.withSystemSql(tenant, (sql) => sql.query<Link>(LINKS));
  const breaches = KINDS.flatMap((kind) => stage.sims[kind].sim.breaches.map((words) => `${kind}: ${words}`));
  return {
    faults: [...rows.flatMap((link) => judgeLink(stage, link)), ...breaches],
    links: rows.length,
    repeats: rows.reduce((sum, one) => sum + one.repeats, 0),
  };
}
