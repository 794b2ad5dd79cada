import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { NameActors } from './read-trail.ts';
import type { EntryBody } from './store.ts';

export interface ChangeOfThing {
  at: string;
  /** A name; the id of whom nobody knows any more. */
  actor: string;
  action: string;
  /** The entry's detail in words, such as `changed: interval_seconds`. */
  what: string;
}

const wordsOf = (detail: EntryBody['detail']): string =>
  Object.entries(detail ?? {})
    .filter(([key]) => key !== 'version')
    .map(([key, value]) => `${key.replaceAll('_', ' ')}: ${value}`)
    .join('; ');

/** Entries about one thing, whose actions begin with the name of its type; entries past retention are gone. */
export function createReadChanges({ relational, nameActors }: { relational: Relational; nameActors: NameActors }) {
  return async (tenant: TenantId, { type, id, limit }: { type: string; id: string; limit: number }): Promise<ChangeOfThing[]> => {
    const rows = await relational.withTenantSql(tenant, async (sql) => {
      const text = `SELECT body FROM audit_entries WHERE action LIKE $1 || '.%' AND seq IS NOT NULL AND (body::jsonb) #>> '{object,id}' = $2
        ORDER BY seq DESC LIMIT $3`;
      return (await sql.query<{ body: string }>(text, [type, id, limit])).rows;
    });
    const bodies = rows.map(({ body }) => JSON.parse(body) as EntryBody);
    const names = await nameActors(tenant, [...new Set(bodies.map(({ actor }) => actor.id))]);
    return bodies.map(({ at_ms, actor, action, detail }) => ({
      ...{ at: new Date(at_ms).toISOString(), actor: names.get(actor.id) ?? actor.id, action, what: wordsOf(detail) },
    }));
  };
}
