/**
 * The lab's links: one process in a namespace of its own that hands frames between pairs of interfaces, late or never.
 * This stands in for netem, which the kernels of containers seldom have. argv: pairs `ifA:ifB`, link 0 first.
 */
import os from 'node:os';
import { serveControl } from '../control.ts';
import { type LinkSettings, PERFECT_LINK } from './link-settings.ts';
import { createLinkWay, type LinkWay } from './link-way.ts';
import { openPacketSocket, type PacketSocket } from './packet-socket.ts';

interface Queued {
  readonly dueMs: number;
  readonly to: PacketSocket;
  readonly frame: Buffer;
}

const MAX_QUEUED = 20_000;
const links: Required<LinkSettings>[] = [];
const queue: Queued[] = [];
let timer: NodeJS.Timeout | undefined;

function forward(way: LinkWay, to: PacketSocket, frame: Buffer): void {
  const nowMs = performance.now();
  const delayMs = way.carry(frame, nowMs);
  if (delayMs === undefined) return;
  if (delayMs === 0) {
    to.send(frame);
    return;
  }
  if (queue.length >= MAX_QUEUED) return;
  const queued = { dueMs: nowMs + delayMs, to, frame: Buffer.from(frame) };
  // Sorted by due time; almost always at the end.
  let at = queue.length;
  while (at > 0 && (queue[at - 1]?.dueMs ?? 0) > queued.dueMs) at -= 1;
  queue.splice(at, 0, queued);
  schedule();
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
  const settings = { ...PERFECT_LINK };
  links[at] = settings;
  const a = openPacketSocket(nameA);
  const b = openPacketSocket(nameB);
  const [out, back] = [true, false].map((outward) => createLinkWay({ settings, outward }));
  a.listen((frame) => out && forward(out, b, frame));
  b.listen((frame) => back && forward(back, a, frame));
}

serveControl((setting) => {
  const { link, ...values } = setting as { link: number } & LinkSettings;
  const state = links[link];
  if (!state) throw new RangeError(`there is no link ${link}`);
  Object.assign(state, values);
});
