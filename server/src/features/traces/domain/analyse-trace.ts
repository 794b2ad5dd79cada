import { buildTree, type TreeNode, type TreeSpan } from './build-tree.ts';
import { findCriticalPath, findMainRoot, findOwnTime, lengthOf } from './critical-path.ts';

export interface AnalysedSpan extends TreeSpan {
  service: string;
  kind: string;
  error: boolean;
}

/** What is told of one span, and of the services behind a trace. Nanoseconds from the trace's first start. */
export interface SpanFacts {
  index: number;
  depth: number;
  parentMissing: boolean;
  own: number;
  critical: number[];
  crosses: boolean;
  skew: number;
}

export interface ServiceFacts {
  spans: number;
  errors: number;
  own: number;
  critical: number;
}

export interface TraceFacts {
  /** Parents before their children. */
  spans: SpanFacts[];
  services: Map<string, ServiceFacts>;
  mainRoot: number | undefined;
  wire: number;
  skews: { parent: string; child: string; skew: number; spans: number }[];
}

/** Clocks of one machine agree; below this even two machines' do well enough. */
const MIN_SKEW_NS = 1_000_000;

/** A child that begins before its parent, or one whose caller waits that ends after it, is off by so much. */
function findSkew(parent: AnalysedSpan, child: AnalysedSpan): number {
  if (parent.service === child.service) return 0;
  const early = parent.start - child.start;
  const waits = parent.kind === 'client' && child.kind === 'server';
  const late = waits ? child.start + child.duration - (parent.start + parent.duration) : 0;
  const skew = Math.max(early, late);
  return skew >= MIN_SKEW_NS ? skew : 0;
}

/** A call whose other side is among the spans: what it does not share with it is on the wire, or not instrumented. */
const crossesTo = (span: AnalysedSpan, children: readonly AnalysedSpan[]): boolean =>
  (span.kind === 'client' || span.kind === 'producer') && children.some(({ service }) => service !== span.service);

/** Depth, own time, critical path and clock skew of every span of a trace. */
export function analyseTrace(spans: readonly AnalysedSpan[]): TraceFacts {
  const tree = buildTree(spans);
  const mainRoot = findMainRoot(spans, tree);
  const critical = findCriticalPath(spans, mainRoot);
  const services = new Map<string, ServiceFacts>();
  const skews = new Map<string, TraceFacts['skews'][number]>();
  const skewOf = new Map<TreeNode, number>();
  let wire = 0;
  const facts = tree.order.map((node): SpanFacts => {
    const span = spans[node.index] as AnalysedSpan;
    const children = node.children.map(({ index }) => spans[index] as AnalysedSpan);
    for (const [i, child] of children.entries()) {
      const skew = findSkew(span, child);
      if (skew === 0) continue;
      skewOf.set(node.children[i] as TreeNode, skew);
      const pair = JSON.stringify([span.service, child.service]);
      const known = skews.get(pair) ?? { parent: span.service, child: child.service, skew: 0, spans: 0 };
      skews.set(pair, { ...known, skew: Math.max(known.skew, skew), spans: known.spans + 1 });
    }
    const own = lengthOf(findOwnTime(spans, node));
    const stretches = critical.get(node) ?? [];
    const crosses = crossesTo(span, children);
    const of = services.get(span.service) ?? { spans: 0, errors: 0, own: 0, critical: 0 };
    of.spans += 1;
    of.errors += span.error ? 1 : 0;
    of.own += own;
    if (crosses) wire += lengthOf(stretches);
    else of.critical += lengthOf(stretches);
    services.set(span.service, of);
    const { index, depth, parentMissing } = node;
    return { index, depth, parentMissing, own, critical: stretches, crosses, skew: skewOf.get(node) ?? 0 };
  });
  return {
    spans: facts,
    services,
    mainRoot: mainRoot?.index,
    wire,
    skews: [...skews.values()].sort((a, b) => b.skew - a.skew),
  };
}
