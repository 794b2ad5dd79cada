import type { TenantId } from '#kernel';
import type { IncidentNow, NotifyDeps } from '../context.ts';
import { originOf } from '../domain/plan.ts';
import type { ClaimedRow } from './rows.ts';

const SYSTEM = 'system';
const NAMELESS = 'a former member';

const signals = (count: number): string => `${count} ${count === 1 ? 'signal' : 'signals'}`;

/** Who did it, by the name of now: a message that waits holds none. */
async function nameOf({ nameActors }: Pick<NotifyDeps, 'nameActors'>, tenant: TenantId, actor: string): Promise<string> {
  if (actor === SYSTEM) return SYSTEM;
  return (await nameActors(tenant, [actor])).get(actor) ?? NAMELESS;
}

function tell(row: Pick<ClaimedRow, 'cause' | 'actor' | 'detail'>, incident: IncidentNow, who: string): string {
  // Of somebody elsewhere the detail says who it was there: `by Ada`.
  const isOutside = originOf(row.actor) !== null || row.actor.startsWith('provider/');
  const by = who === SYSTEM ? 'automatically' : isOutside ? `at ${who} ${row.detail}`.trim() : `by ${who}`;
  const words: Readonly<Record<string, string>> = {
    opened: incident.cause,
    signal_joined: `A further signal joined: ${signals(incident.signalCount)}, ${incident.openSignalCount} failing.`,
    severity_set: `The severity is ${incident.severity} now.`,
    acknowledged: `Acknowledged ${by}.`,
    resolved: `Resolved ${by}${who === SYSTEM && row.detail !== '' ? `: ${row.detail}` : ''}.`,
    merged: row.detail.replace(/^(into|from) (.+)$/, (_, way, number) =>
      way === 'into' ? `Merged into incident ${number} ${by}.` : `Incident ${number} was merged into this one ${by}.`,
    ),
    reopened: `Opened again ${by}${row.detail === '' ? '' : `: ${row.detail}`}. ${incident.cause}`.trim(),
  };
  // Its title stands above, and its severity beside it.
  return words[row.cause] ?? '';
}

/** What happened, in a sentence for those who read it elsewhere. */
export const tellCause = async (
  deps: Pick<NotifyDeps, 'nameActors'>,
  tenant: TenantId,
  { row, incident }: { row: ClaimedRow; incident: IncidentNow },
): Promise<string> => tell(row, incident, await nameOf(deps, tenant, row.actor));
