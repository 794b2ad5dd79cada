import type { Tree, TreeNode, TreeSpan } from './build-tree.ts';

/** Stretches of a span, in nanoseconds from the trace's first start: from, to, from, to, ... in order of time. */
export type Stretches = number[];

/** The stretches of a span in which none of its children runs, clipped to the span. */
export function findOwnTime(spans: readonly TreeSpan[], node: TreeNode): Stretches {
  const span = spans[node.index] as TreeSpan;
  const end = span.start + span.duration;
  const own: Stretches = [];
  let at = span.start;
  // Children stand by their start.
  for (const { index } of node.children) {
    const child = spans[index] as TreeSpan;
    if (child.start > at && at < end) own.push(at, Math.min(child.start, end));
    at = Math.max(at, child.start + child.duration);
  }
  if (at < end || span.duration === 0) own.push(at, end);
  return own;
}

export const lengthOf = (stretches: Stretches): number =>
  stretches.reduce((sum, at, index) => (index % 2 === 0 ? sum - at : sum + at), 0);

/** The root that stands for the trace: the longest span without a parent, else the longest whose parent is missing. */
export function findMainRoot(spans: readonly TreeSpan[], { roots }: Tree): TreeNode | undefined {
  const length = (node: TreeNode): number => (spans[node.index] as TreeSpan).duration;
  const whole = roots.filter((node) => !node.parentMissing);
  return (whole.length > 0 ? whole : roots).reduce<TreeNode | undefined>(
    (best, node) => (best === undefined || length(node) > length(best) ? node : best),
    undefined,
  );
}

/**
 * What must get faster for the whole to get faster: back from the end of the root, always along the child that ended last. The stretches
 * of all spans together cover the root once and without overlap. What runs on after its parent ended counts up to that end.
 */
export function findCriticalPath(spans: readonly TreeSpan[], root: TreeNode | undefined): Map<TreeNode, Stretches> {
  const path = new Map<TreeNode, Stretches>();
  if (root === undefined) return path;
  const main = spans[root.index] as TreeSpan;
  const work = [{ node: root, from: main.start, to: main.start + main.duration }];
  for (let frame = work.pop(); frame; frame = work.pop()) {
    const { node, from, to } = frame;
    const endOf = ({ index }: TreeNode): number => {
      const { start, duration } = spans[index] as TreeSpan;
      return Math.min(start + duration, to);
    };
    const startOf = ({ index }: TreeNode): number => Math.max((spans[index] as TreeSpan).start, from);
    // Found from the end on, so written the other way round.
    const own: Stretches = [];
    let at = to;
    for (const child of [...node.children].sort((a, b) => endOf(b) - endOf(a) || startOf(a) - startOf(b))) {
      const end = endOf(child);
      const start = startOf(child);
      if (end > at || start >= end) continue;
      if (end < at) own.push(at, end);
      work.push({ node: child, from: start, to: end });
      at = start;
    }
    if (at > from) own.push(at, from);
    path.set(node, own.reverse());
  }
  return path;
}
