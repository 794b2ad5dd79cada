import type { EvidencePlane, EvidenceQuestion, PlaneEvidence } from '@svc/contracts/causes/facts';
import type { TenantId } from '#kernel';
import type { CausesDeps, ExplainedIncident, ExplainedSignal } from './context.ts';
import { type Explanation, explain } from './domain/explain.ts';
import { namedBy, onsetOf, type SignalTold, sharesOf } from './domain/signal-facts.ts';

/** What is usual is of this time before the harm. */
const USUAL_MS = 2 * 3_600_000;
/** How much of a long incident is looked at: its cause lies at its beginning. */
const LONGEST_MS = 3 * 3_600_000;
/** Of the harm, so that a first failing run has something around it. */
const LEAST_MS = 60_000;
const MAX_SERVICES = 20;

type Gathered = Explanation & { fromMs: number; toMs: number };

/** A plane that cannot be read is not measured, and nothing else is lost by it. */
const createAsk =
  ({ log }: CausesDeps, tenant: TenantId) =>
  async <Found extends PlaneEvidence>(plane: EvidencePlane, asking: Promise<Found> | undefined): Promise<PlaneEvidence> => {
    if (!asking) return { plane, facts: [], notMeasured: ['Nothing of it is collected here.'] };
    try {
      return await asking;
    } catch (error) {
      log.warn({ err: error, tenant, plane }, 'evidence of an incident could not be read');
      return { plane, facts: [], notMeasured: ['It could not be read just now.'] };
    }
  };

const toldBy = (signals: readonly ExplainedSignal[]): SignalTold[] =>
  signals.map(({ kind, site, attributes, occurred_at: at }) => ({ kind, site, attributes, atMs: at.getTime() }));

/** What devices share, as their signals say it: how many, never which. */
function devicesOf({ site, signals, nearby }: ExplainedIncident): PlaneEvidence {
  const facts = sharesOf(toldBy([...signals, ...nearby]));
  const why = site === null ? 'The incident names no site, so no devices belong to it.' : `No devices at ${site} shared a cause.`;
  return { plane: 'endpoint', facts, notMeasured: facts.length === 0 ? [why] : [] };
}

function questionOf(incident: ExplainedIncident, told: readonly SignalTold[], nowMs: number): EvidenceQuestion {
  const sinceMs = incident.started_at.getTime();
  const endMs = Math.min(nowMs, incident.resolved_at?.getTime() ?? nowMs, sinceMs + LONGEST_MS);
  return {
    ...{ target: incident.target, prefix: incident.prefix, site: incident.site, ...namedBy(told) },
    ...{ fromMs: sinceMs - USUAL_MS, sinceMs, toMs: Math.max(endMs, sinceMs + LEAST_MS) },
  };
}

/** Asks every plane for what it knows of an incident, and explains it. The planes are asked side by side; each has bounds of its own. */
export async function gather(deps: CausesDeps, tenant: TenantId, incident: ExplainedIncident): Promise<Gathered> {
  const sources = deps.sources();
  const ask = createAsk(deps, tenant);
  const told = toldBy(incident.signals);
  const question = questionOf(incident, told, deps.clock.now());
  const mapping = sources.map(tenant, question);
  const [tests, map] = await Promise.all([ask('tests', sources.tests(tenant, question)), ask('otlp', mapping)]);
  const found = await mapping.then(
    ({ services }) => services,
    () => [],
  );
  const services = [...new Set([...question.services, ...found])].slice(0, MAX_SERVICES);
  const wider = { ...question, services };
  const rest = await Promise.all([
    ask('otlp', sources.traces(tenant, wider)),
    ask('logs', sources.logs(tenant, wider)),
    ask('rum', sources.users?.(tenant, wider)),
    ask('changes', sources.changes?.(tenant, { ...wider, incidentId: incident.id })),
  ]);
  const planes = [tests, devicesOf(incident), map, ...rest];
  const situation = {
    ...{ target: incident.target, site: incident.site, toMs: question.toMs },
    sinceMs: onsetOf(
      question.sinceMs,
      planes.flatMap(({ facts }) => facts),
    ),
    signalKinds: [...new Set(told.map(({ kind }) => kind))],
  };
  return { ...explain(situation, planes), fromMs: question.fromMs, toMs: question.toMs };
}
