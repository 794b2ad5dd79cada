import type { PathNode } from './path-layout.ts';

/** Below this the gap between two nodes holds no label. */
const LEAST_GAP = 28;

export interface Placed {
  node: PathNode;
  x: number;
  width: number;
}

export const PAD = 8;
export const DEVICE_WIDTH = 88;
const NODE_WIDTH = 86;
const RING_WIDTH = 30;
/** The blamed edge carries two labels and gets this much of the room of another. */
const BLAMED_WEIGHT = 2;

/** Places the trunk from left to right; where the room is short, nodes become rings with the hop's number. */
export function placeTrunk(
  trunk: readonly PathNode[],
  { space, blamed }: { space: number; blamed: string | undefined },
): { placed: Placed[]; compact: boolean } {
  const widthOf = (node: PathNode, compact: boolean): number => (compact || node.kind === 'silent' ? RING_WIDTH : NODE_WIDTH);
  const roomOf = (compact: boolean): number =>
    space - DEVICE_WIDTH - trunk.reduce((sum, node) => sum + widthOf(node, compact), 0);
  const weights = trunk.map((node) => (node.key === blamed ? BLAMED_WEIGHT : 1));
  const total = Math.max(
    1,
    weights.reduce((sum, weight) => sum + weight, 0),
  );
  const compact = roomOf(false) / total < LEAST_GAP;
  const unit = Math.max(4, roomOf(compact) / total);
  let x = DEVICE_WIDTH;
  const placed = trunk.map((node, index): Placed => {
    x += unit * (weights[index] ?? 1);
    const width = widthOf(node, compact);
    const at = { node, x, width };
    x += width;
    return at;
  });
  return { placed, compact };
}
