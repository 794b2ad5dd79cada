import { uuidv7 } from 'uuidv7';
import type { TenantSql } from '#relational';
import type { NotifyDeps } from '../context.ts';
import { planTransition } from '../domain/plan.ts';
import { keepLinks } from './keep.ts';
import { loadLinks, readTellable } from './load.ts';

/** What a transition of an incident is to this slice. */
export interface ToldTransition {
  kind: string;
  incident: { id: string };
  actor: string;
  detail: string;
}

/** A comment is the tenant's own, and an assignment is told by the incident's page: neither leaves. */
const TOLD_NOTHING = ['commented', 'assigned'];

/**
 * Observes incidents: writes who is to be told what, in the transaction that changes them, so that neither is kept without the other. Costs
 * one small read where a tenant has no connector. Writers of a tenant's incidents take turns, and so does this.
 */
export async function noteTransitions(
  { readIncidents, readDecider, clock }: Pick<NotifyDeps, 'readIncidents' | 'readDecider' | 'clock'>,
  sql: TenantSql,
  transitions: readonly ToldTransition[],
): Promise<void> {
  const told = transitions.filter(({ kind }) => !TOLD_NOTHING.includes(kind));
  if (told.length === 0) return;
  const connectors = await readTellable(sql);
  if (connectors.size === 0) return;
  const ids = [...new Set(told.map(({ incident }) => incident.id))].sort();
  const incidents = new Map((await readIncidents(sql, ids)).map((one) => [one.id, one]));
  const decide = await readDecider(sql);
  const links = await loadLinks(sql, ids);
  const nowMs = clock.now();
  for (const transition of told) {
    const incident = incidents.get(transition.incident.id);
    const own = links.get(transition.incident.id);
    if (!incident || !own) continue;
    const decideFor = (untold: readonly string[]) => decide(incident, { connectors: untold, atMs: nowMs });
    planTransition({ incident, links: own, connectors, decide: decideFor, nowMs, newId: uuidv7 }, transition);
  }
  await keepLinks(sql, links, new Date(nowMs));
}
