import type { ChangeFact, EvidenceQuestion, PlaneEvidence } from '@svc/contracts/causes/facts';
import type { Candidate, Change, IncidentChanges } from '@svc/contracts/changes/change';
import { anchorsOf, type TenantId } from '#kernel';

/** What the slice of changes gives. */
export interface ChangesThread {
  candidatesOf(tenant: TenantId, incidentId: string): Promise<IncidentChanges>;
  changesOn(tenant: TenantId, query: { targets: string[]; from: string; to: string }): Promise<readonly Change[]>;
}

const MAX_CANDIDATES = 50;
const MAX_OF_DEPENDENCIES = 20;
/** Changes of what is called are looked for in this time before the harm. */
const BEFORE_MS = 24 * 3_600_000;
const GRACE_MS = 5 * 60_000;

const factOf = (change: Change): Omit<ChangeFact, 'topology' | 'recency' | 'score' | 'dependency' | 'verdict'> => ({
  kind: 'change',
  ...{ changeId: change.id, number: change.number, changeKind: change.kind, title: change.title },
  ...{ target: change.target, prefix: change.prefix, url: change.url },
  // A deployment does harm when it is through, and may while it runs.
  atMs: Date.parse(change.occurred_at),
  failed: change.state === 'failed',
  ...(change.state === 'waiting' || change.state === 'cancelled' ? { unapplied: change.state } : {}),
});

const ofCandidate = ({ change, score, topology, recency, verdict }: Candidate): ChangeFact => ({
  ...factOf(change),
  ...{ topology: topology.score, recency: recency.score, score, dependency: null, verdict: verdict?.verdict ?? null },
});

/** Under a score of its own: its target is called by what is hurt, and is not hurt itself. */
function ofDependency(change: Change, dependency: string, sinceMs: number): ChangeFact {
  const recency = Math.max(0, Math.min(1, 1 - (sinceMs - Date.parse(change.occurred_at)) / BEFORE_MS));
  const rounded = Math.round(recency * 1000) / 1000;
  return { ...factOf(change), topology: 0, recency: rounded, score: 0.4 * rounded, dependency, verdict: null };
}

const valuesOf = (target: string): string[] => anchorsOf({ target, attributes: {} }).map(({ value }) => value);

/** Which of these services a change is about, however each of the two spells it: `Payments.Api` is `payments.api`. */
function createNaming(services: readonly string[]): (change: Change) => string | undefined {
  const byValue = new Map<string, string>();
  for (const service of services) for (const value of valuesOf(service)) if (!byValue.has(value)) byValue.set(value, service);
  return ({ target }) =>
    (target === null ? [] : valuesOf(target)).map((value) => byValue.get(value)).find((service) => service !== undefined);
}

/** What changes know about an incident (docs/causes.md): its candidates, and changes of the services that it depends on. */
export const createChangeEvidence =
  ({ candidatesOf, changesOn }: ChangesThread) =>
  async (
    tenant: TenantId,
    { incidentId, target, services, sinceMs }: EvidenceQuestion & { incidentId: string },
  ): Promise<PlaneEvidence> => {
    const { items, looked_at: lookedAt } = await candidatesOf(tenant, incidentId);
    const known = new Set(items.map(({ change }) => change.id));
    const own = new Set(target === null ? [] : valuesOf(target));
    const targets = services.filter((service) => !valuesOf(service).some((value) => own.has(value)));
    const nameOf = createNaming(targets);
    const window = { from: new Date(sinceMs - BEFORE_MS).toISOString(), to: new Date(sinceMs + GRACE_MS).toISOString() };
    const others = targets.length === 0 ? [] : await changesOn(tenant, { targets, ...window });
    const dependencies = others.flatMap((change) => {
      const dependency = known.has(change.id) ? undefined : nameOf(change);
      return dependency === undefined ? [] : [ofDependency(change, dependency, sinceMs)];
    });
    return {
      plane: 'changes',
      facts: [...items.slice(0, MAX_CANDIDATES).map(ofCandidate), ...dependencies.slice(0, MAX_OF_DEPENDENCIES)],
      notMeasured: lookedAt.changes === 0 ? ['No change was recorded in the time before it.'] : [],
    };
  };
