/** What the shape of a trace needs of a span; times are nanoseconds from the trace's first start. */
export interface TreeSpan {
  id: string;
  /** '' for a root. */
  parent: string;
  start: number;
  duration: number;
}

export interface TreeNode {
  /** Index into the spans given. */
  index: number;
  depth: number;
  children: TreeNode[];
  /** True where the span names a parent that is not among the spans. */
  parentMissing: boolean;
}

export interface Tree {
  /** Parents before their children, siblings by their start. */
  order: TreeNode[];
  roots: TreeNode[];
}

/**
 * The tree of a trace. A span whose parent is missing is a root of its own; of spans that name each other as parents in a ring the
 * earliest is. Two spans of one id keep a row each, and children belong to the first.
 */
export function buildTree(spans: readonly TreeSpan[]): Tree {
  const nodes = spans.map((_, index): TreeNode => ({ index, depth: 0, children: [], parentMissing: false }));
  const byTime = [...nodes].sort((a, b) => {
    const [one, other] = [spans[a.index] as TreeSpan, spans[b.index] as TreeSpan];
    return one.start - other.start || other.duration - one.duration || (one.id < other.id ? -1 : 1);
  });
  const byId = new Map<string, TreeNode>();
  for (const node of byTime) {
    const { id } = spans[node.index] as TreeSpan;
    if (!byId.has(id)) byId.set(id, node);
  }
  const roots: TreeNode[] = [];
  for (const node of byTime) {
    const { parent } = spans[node.index] as TreeSpan;
    const above = parent === '' ? undefined : byId.get(parent);
    node.parentMissing = parent !== '' && (above === undefined || above === node);
    if (above === undefined || above === node) roots.push(node);
    else above.children.push(node);
  }
  return { order: walk(roots, byTime), roots };
}

/** Depth first without recursion: a trace may be ten thousand spans deep. */
function walk(roots: TreeNode[], byTime: readonly TreeNode[]): TreeNode[] {
  const order: TreeNode[] = [];
  const seen = new Set<TreeNode>();
  const visit = (root: TreeNode): void => {
    const stack = [root];
    for (let node = stack.pop(); node; node = stack.pop()) {
      seen.add(node);
      order.push(node);
      node.children = node.children.filter((child) => !seen.has(child));
      for (let i = node.children.length - 1; i >= 0; i--) {
        const child = node.children[i] as TreeNode;
        child.depth = node.depth + 1;
        stack.push(child);
      }
    }
  };
  for (const root of roots) visit(root);
  // Whatever is left hangs in a ring.
  for (const node of byTime) {
    if (seen.has(node)) continue;
    node.parentMissing = true;
    roots.push(node);
    visit(node);
  }
  return order;
}
