/**
 * The lab's links: one process in a namespace of its own that hands frames between pairs of interfaces, late or never.
 * This stands in for netem, which the kernels of containers seldom have. argv: pairs `ifA:ifB`, link 0 first.
 */
import os from 'node:os';
import { serveControl } from './control.ts';
import { type FrameVerdict, judgeFrame } from './frame.ts';
import { openPacketSocket, type PacketSocket } from './packet-socket.ts';

/** One way's delay; loss only towards the server, so that a round trip loses exactly this ratio. */
interface LinkState {
  delayMs: number;
  jitterMs: number;
  lossRatio: number;
  dropIcmp: 'none' | 'errors' | 'all';
}

interface Queued {
  readonly dueMs: number;
  readonly to: PacketSocket;
  readonly frame: Buffer;
}

const MAX_QUEUED = 20_000;
const links: LinkState[] = [];
const queue: Queued[] = [];
let timer: NodeJS.Timeout | undefined;

function forward(state: LinkState, way: { to: PacketSocket; outward: boolean }, frame: Buffer): void {
  if (isDropped(state, judgeFrame(frame), way.outward)) return;
  const delayMs = state.delayMs + Math.random() * state.jitterMs;
  if (delayMs === 0) {
    way.to.send(frame);
    return;
  }
  if (queue.length >= MAX_QUEUED) return;
  const queued = { dueMs: performance.now() + delayMs, to: way.to, frame: Buffer.from(frame) };
  // Sorted by due time; almost always at the end.
  let at = queue.length;
  while (at > 0 && (queue[at - 1]?.dueMs ?? 0) > queued.dueMs) at -= 1;
  queue.splice(at, 0, queued);
  schedule();
}

function isDropped(state: LinkState, verdict: FrameVerdict, outward: boolean): boolean {
  if (verdict === 'neighbour') return false;
  if (state.dropIcmp === 'all' && verdict !== 'other') return true;
  if (state.dropIcmp === 'errors' && verdict === 'icmp-error') return true;
  return outward && state.lossRatio > 0 && Math.random() < state.lossRatio;
}

function schedule(): void {
  clearTimeout(timer);
  const first = queue[0];
  if (first) timer = setTimeout(release, Math.max(0, first.dueMs - performance.now()));
}

function release(): void {
  const nowMs = performance.now() + 0.3;
  while (queue[0] && queue[0].dueMs <= nowMs) {
    const { to, frame } = queue.shift() as Queued;
    to.send(frame);
  }
  schedule();
}

// A wire does not wait for its turn: what this process sleeps would be measured as delay.
os.setPriority(os.constants.priority.PRIORITY_HIGHEST);

for (const [at, pair] of process.argv.slice(2).entries()) {
  const [nameA = '', nameB = ''] = pair.split(':');
  const state: LinkState = { delayMs: 0, jitterMs: 0, lossRatio: 0, dropIcmp: 'none' };
  links[at] = state;
  const a = openPacketSocket(nameA);
  const b = openPacketSocket(nameB);
  a.listen((frame) => forward(state, { to: b, outward: true }, frame));
  b.listen((frame) => forward(state, { to: a, outward: false }, frame));
}

serveControl((setting) => {
  const { link, ...values } = setting as { link: number } & Partial<LinkState>;
  const state = links[link];
  if (!state) throw new RangeError(`there is no link ${link}`);
  Object.assign(state, values);
});
