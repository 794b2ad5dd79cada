import type { AuditRecord, Member } from '../../api-types.ts';
import type { Choice } from '../../ui/table/choice-filter.tsx';

/** People and tokens to filter by, by name and e-mail, each once; those of the entries include whoever has left. */
export function listPeople(members: readonly Member[], items: readonly AuditRecord[]): Choice[] {
  const byId = new Map<string, string>();
  for (const { actor } of items) if (actor.name !== null && actor.kind !== 'agent') byId.set(actor.id, actor.name);
  for (const { id, name, email } of members) byId.set(id, name && name !== email ? `${name}, ${email}` : email || name);
  return [...byId].map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label, 'en'));
}
