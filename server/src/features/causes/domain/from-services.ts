import {
  type Draft,
  type DraftPart,
  durationWords,
  type FactOf,
  factsOf,
  grownOf,
  hasUsual,
  loadOf,
  millisecondWords,
  percentWords,
  type Situation,
  speaksAgainst,
  speaksFor,
} from './situation.ts';
import { failingTests } from './symptoms.ts';

type Edge = FactOf<'edge'>;

const MINUTE_MS = 60_000;
const LATE_MS = 10 * MINUTE_MS;
/** Asked for this many times more than usual. */
const PEAK = 1.8;
const FULL_PEAK = 4;
const OUTSIDE: readonly Edge['edgeKind'][] = ['database', 'queue', 'host'];
const FULL_WORDS =
  /too many|pool (is )?(exhausted|full|timeout)|exhausted|queue (is )?full|limit (exceeded|reached)|out of memory|\boom\b|overload|throttl|backpressure|no space left|disk full|cannot allocate/i;

/** Services that the target's own calls, directly or by others, over the edges that are known. */
function reachedFrom(asked: ReadonlySet<string>, edges: readonly Edge[]): ReadonlySet<string> {
  const reached = new Set(asked);
  for (let size = -1; size !== reached.size; ) {
    size = reached.size;
    for (const { source, target } of edges) if (reached.has(source)) reached.add(target);
  }
  return reached;
}

const edgeWords = (edge: Edge): string => {
  const { errors, slower } = grownOf(edge);
  if (errors)
    return `${percentWords(edge.errors / edge.calls)} of its calls fail, ${hasUsual(edge) ? `${percentWords(edge.usualErrorRatio)} did before` : 'none are known before'}`;
  return `95 % of its calls take up to ${millisecondWords(edge.p95Ms ?? 0)}, ${slower.toFixed(1)} times as long as before`;
};

function edgeWeight(edge: Edge): number {
  const { errors, slower } = grownOf(edge);
  const ratio = edge.errors / Math.max(1, edge.calls);
  const byErrors = !errors ? 0 : ratio >= 0.5 ? 0.8 : ratio >= 0.2 ? 0.75 : 0.65;
  const bySpeed = slower >= 3 ? 0.75 : slower >= 2 ? 0.62 : 0;
  return Math.max(byErrors, bySpeed);
}

function draftDependency(callee: string, bad: readonly Edge[], situation: Situation): Draft {
  const into = bad.filter(({ target }) => target === callee).toSorted((a, b) => edgeWeight(b) - edgeWeight(a));
  const [worst] = into;
  const parts: DraftPart[] = into
    .slice(0, 2)
    .map((edge, place) => speaksFor(edge, place === 0 ? edgeWeight(edge) : 0.2, edgeWords(edge)));
  for (const edge of bad.filter(({ target }) => target !== callee && into.some(({ source }) => source === target)).slice(0, 2))
    parts.push(speaksFor(edge, 0.15, 'what calls it is hurt as well'));
  for (const fact of factsOf(situation, 'operation')
    .filter(({ service }) => service === callee)
    .slice(0, 1))
    parts.push(speaksFor(fact, 0.25, 'one of its operations grew most'));
  const names = new RegExp(callee.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  for (const fact of factsOf(situation, 'log.pattern')
    .filter((one) => one.service === callee || names.test(one.pattern))
    .slice(0, 1))
    parts.push(speaksFor(fact, 0.2, 'these lines are new'));
  if (worst && worst.atMs > situation.sinceMs + LATE_MS)
    parts.push(speaksAgainst(worst, 0.5, `it began ${durationWords(worst.atMs - situation.sinceMs)} after the harm`));
  const asked = into.find((edge) => loadOf(edge) >= PEAK);
  if (asked) parts.push(speaksAgainst(asked, 0.35, `it is asked for ${loadOf(asked).toFixed(1)} times as much as usual`));
  const others = factsOf(situation, 'edge').find(
    (edge) => edge.target === callee && edge.calls >= 20 && hasUsual(edge) && !grownOf(edge).isBad,
  );
  if (others) parts.push(speaksAgainst(others, 0.25, `${others.source} calls it as before`));
  return { kind: 'dependency', subject: callee, clause: `${callee}, which ${worst?.source ?? 'the service'} depends on`, parts };
}

/**
 * What fails furthest down: a service whose calls are worse than usual and that calls nobody whose are. A database, queue or host answers
 * for itself, even where it is the target.
 */
export function draftDependencies(situation: Situation): Draft[] {
  const edges = factsOf(situation, 'edge');
  const asked = new Set(factsOf(situation, 'service').flatMap(({ service, isAsked }) => (isAsked ? [service] : [])));
  if (situation.target !== null) asked.add(situation.target);
  const bad = edges.filter((edge) => grownOf(edge).isBad);
  const reached = reachedFrom(asked, edges);
  const callees = bad
    .filter(
      ({ source, target, edgeKind }) =>
        (reached.has(source) && !asked.has(target)) || (asked.has(target) && OUTSIDE.includes(edgeKind)),
    )
    .map(({ target }) => target)
    .filter((target) => !bad.some(({ source }) => source === target));
  return [...new Set(callees)].map((callee) => draftDependency(callee, bad, situation));
}

function draftPeak(service: FactOf<'service'>, situation: Situation): Draft {
  const load = loadOf(service);
  const isPeak = load >= PEAK;
  const parts: DraftPart[] = [];
  if (isPeak) {
    const weight = 0.5 + 0.3 * Math.min(1, (load - PEAK) / (FULL_PEAK - PEAK));
    parts.push(speaksFor(service, weight, `it is asked for ${load.toFixed(1)} times as much as usual`));
    const grown = grownOf(service);
    if (grown.slower > 1) parts.push(speaksFor(service, 0.3, `it answers ${grown.slower.toFixed(1)} times as slowly as before`));
    if (grown.errors)
      parts.push(speaksFor(service, 0.25, `${percentWords(service.errors / service.calls)} of its answers are errors`));
    if (!grown.isBad && failingTests(situation).length === 0)
      parts.push(speaksAgainst(service, 0.7, 'it answers all of them as before'));
  }
  const full = factsOf(situation, 'log.pattern').filter(({ pattern }) => FULL_WORDS.test(pattern));
  for (const line of full.slice(0, 2)) parts.push(speaksFor(line, isPeak ? 0.35 : 0.4, 'the lines say that something is full'));
  const edges = factsOf(situation, 'edge').filter(({ source }) => source === service.service);
  const slow = edges.find((edge) => grownOf(edge).isBad && loadOf(edge) >= PEAK);
  if (isPeak && slow) parts.push(speaksFor(slow, 0.2, `and so is ${slow.target}, which it calls`));
  const hurt = edges.find((edge) => grownOf(edge).isBad && loadOf(edge) < PEAK);
  if (hurt) parts.push(speaksAgainst(hurt, 0.4, `${hurt.target} is worse without being asked for more`));
  return { kind: 'capacity', subject: service.service, clause: `more requests than ${service.service} can take`, parts };
}

/** A service that is asked for much more than usual, or says that something of it is full. */
export const draftCapacity = (situation: Situation): Draft[] =>
  factsOf(situation, 'service')
    .filter(({ isAsked }) => isAsked)
    .map((service) => draftPeak(service, situation))
    .filter(({ parts }) => parts.some(({ effect }) => effect === 'for'));
