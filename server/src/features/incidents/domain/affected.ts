import type { IncidentView } from '@svc/contracts/incidents/incident';
import type { Plane } from '@svc/contracts/incidents/signal';

export type AffectedThing = IncidentView['affected'][number];

export interface AffectingSignal {
  plane: Plane;
  kind: string;
  target: string | null;
  site: string | null;
  attributes: Readonly<Record<string, string>>;
  occurred_at: Date;
  recovered_at: Date | null;
}

type Thing = Pick<AffectedThing, 'kind' | 'id' | 'name'>;

/** What a signal says is hurt. Never a device: signals name none. */
function thingsOf({ plane, target, site, attributes }: AffectingSignal): Thing[] {
  const test = attributes['test.id'];
  const service = attributes['service.name'] ?? (plane === 'otlp' ? target : null);
  const app = attributes['app.name'] ?? (plane === 'rum' ? target : null);
  return [
    ...(test === undefined ? [] : [{ kind: 'test' as const, id: test, name: attributes['test.name'] ?? test }]),
    ...(service ? [{ kind: 'service' as const, id: service, name: service }] : []),
    ...(plane === 'rum' && app ? [{ kind: 'app' as const, id: app, name: app }] : []),
    ...(plane === 'endpoint' && site ? [{ kind: 'site' as const, id: site, name: site }] : []),
  ];
}

/** Each thing once: since when, and until when where none of its signals fails any more. Those that still hurt come first. */
export function affectedBy(signals: readonly AffectingSignal[]): AffectedThing[] {
  const found = new Map<string, Thing & { since: Date; until: Date | null }>();
  for (const signal of signals)
    for (const thing of thingsOf(signal)) {
      const key = `${thing.kind} ${thing.id}`;
      const known = found.get(key);
      const { occurred_at: at, recovered_at: end } = signal;
      if (!known) {
        found.set(key, { ...thing, since: at, until: end });
        continue;
      }
      if (at < known.since) known.since = at;
      if (end === null || (known.until !== null && end > known.until)) known.until = end;
    }
  return [...found.values()]
    .sort((a, b) => Number(a.until !== null) - Number(b.until !== null) || a.since.getTime() - b.since.getTime())
    .map(({ since, until, ...thing }) => ({
      ...thing,
      since: since.toISOString(),
      recovered_at: until?.toISOString() ?? null,
    }));
}
