import { z } from 'zod';
import { countOfPage } from '#api';
import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type AuditFilter, listEntries, type StoredEntry } from './store.ts';
import { readFormerNames, readValues, type ShownChange } from './values.ts';

/** Display names of actors by their id; an id without a name is left out (erased, or a machine). */
export type NameActors = (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export const TrailEntry = z.object({
  seq: z.string(),
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.object({ kind: z.enum(['account', 'api_token', 'agent', 'system']), id: z.string(), name: z.string().nullable() }),
  action: z.string(),
  object: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }).nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** What a change of a device replaced, and with what: null for nothing. Itself null for an entry without. */
  change: z
    .discriminatedUnion('state', [
      z.object({ state: z.literal('kept'), from: z.string().nullable(), to: z.string().nullable() }),
      z.object({ state: z.literal('erased') }),
      z.object({ state: z.literal('altered') }),
    ])
    .nullable(),
  hash: z.string(),
});
export type TrailEntry = z.infer<typeof TrailEntry>;

interface Deps {
  relational: Pick<Relational, 'withTenantSql'>;
  nameActors: NameActors;
}

/** Devices that an entry names, as who did it and as what it was done to. */
const devicesOf = ({ seq, body: { actor, object } }: StoredEntry): { agentId: string; seq: bigint }[] => [
  ...(actor.kind === 'agent' ? [{ agentId: actor.id, seq }] : []),
  ...(object?.type === 'agent' ? [{ agentId: object.id, seq }] : []),
];

/** A page of the trail, newest first; a device is called as it was when the entry was written. `isCut`: there are more. */
export async function readTrail(
  { relational, nameActors }: Deps,
  tenant: TenantId,
  { filter, limit }: { filter: AuditFilter; limit: number },
): Promise<{ items: TrailEntry[]; isCut: boolean }> {
  const { shown, isCut, changes, formerNames } = await relational.withTenantSql(tenant, async (sql) => {
    const found = await listEntries(sql, filter, limit + 1);
    const page = found.slice(0, Math.min(limit, countOfPage(found.map(({ body }) => body))));
    const changes = await readValues(sql, page);
    const formerNames = await readFormerNames(sql, page.flatMap(devicesOf));
    return { shown: page, isCut: found.length > page.length, changes, formerNames };
  });
  const ids = shown.flatMap(({ body }) => [body.actor.id, ...(body.object ? [body.object.id] : [])]);
  const names = await nameActors(tenant, [...new Set(ids)]);
  const items = shown.map((entry) => {
    const nameOf = (id: string): string | null => {
      const former = formerNames.get(`${id}@${entry.seq}`);
      return former === undefined ? (names.get(id) ?? null) : former;
    };
    return present(entry, nameOf, changes.get(entry.id));
  });
  return { items, isCut };
}

const present = (
  { seq, id, hash, body }: StoredEntry,
  nameOf: (id: string) => string | null,
  change: ShownChange | undefined,
): TrailEntry => ({
  seq: seq.toString(),
  id,
  at: new Date(body.at_ms).toISOString(),
  actor: { ...body.actor, name: nameOf(body.actor.id) },
  action: body.action,
  object: body.object ? { ...body.object, name: nameOf(body.object.id) } : null,
  detail: body.detail ?? {},
  change: change ?? null,
  hash: hash.toString('hex'),
});
