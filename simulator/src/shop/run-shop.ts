import { setTimeout as sleep } from 'node:timers/promises';
import { loadShopMemory, type ShopMemory, saveShopMemory } from './memory.ts';
import { encodeLogs, encodeMetrics, encodeSpans } from './otlp/encode.ts';
import { createPoster, type Poster, type Signal } from './otlp/post.ts';
import type { InstanceMetrics } from './signals.ts';
import { createWorld, LONGEST_TRACE_MS, type Released, type World } from './world.ts';

export interface ShopOptions {
  endpoint: string;
  token: string;
  ca: string | undefined;
  hours: number;
  live: boolean;
  seed: number;
  state: string | undefined;
}

export interface ShopReport {
  backfilling(share: number): void;
  complete(summary: Sent & { seconds: number }): void;
  trouble(message: string): void;
}

/** Acknowledged. */
export interface Sent {
  spans: number;
  logs: number;
  points: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EXPORT_MS = 15_000;
const TICK_MS = 1000;
const SPANS_AT_ONCE = 1000;
const LOGS_AT_ONCE = 1000;
/** A day is then about half a million spans, and by day a request is shown every second. */
const KEPT_ONE_OF = 8;
/** How often the past's metrics were exported: as exporters do by default, and before that as little as a chart of a day needs. */
const stepBefore = (leftMs: number): number => (leftMs > 6 * HOUR ? 3 : 1) * MINUTE;
const STEPS_AT_ONCE = 15;

interface Run {
  world: World;
  poster: Poster;
  signal: AbortSignal;
  memory: ShopMemory;
  file: string | undefined;
  sent: Sent;
  /** Requests under way, in their order. */
  waiting: Released;
}

function inParts<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}

const countPoints = (all: readonly InstanceMetrics[]): number =>
  all.reduce((sum, { metrics }) => sum + metrics.reduce((inner, { points }) => inner + points.length, 0), 0);

/** Sends all that waits; resolves when it is acknowledged. */
async function flush(run: Run, metrics: readonly InstanceMetrics[]): Promise<void> {
  const { spans, logs } = run.waiting;
  run.waiting = { spans: [], logs: [] };
  const bodies: [Signal, Buffer][] = [
    ...inParts(spans, SPANS_AT_ONCE).map((part): [Signal, Buffer] => ['traces', encodeSpans(part)]),
    ...inParts(logs, LOGS_AT_ONCE).map((part): [Signal, Buffer] => ['logs', encodeLogs(part)]),
  ];
  if (metrics.length > 0) bodies.push(['metrics', encodeMetrics(metrics)]);
  await Promise.all(bodies.map(([kind, body]) => run.poster.post(kind, body)));
  run.sent.spans += spans.length;
  run.sent.logs += logs.length;
  run.sent.points += countPoints(metrics);
}

function remember({ memory, file }: Run, deliveredToMs: number): void {
  memory.deliveredToMs = deliveredToMs;
  if (file !== undefined) saveShopMemory(file, memory);
}

function take(run: Run, untilMs: number, fromMs: number): void {
  const { spans, logs } = run.world.release(untilMs, fromMs);
  for (const span of spans) run.waiting.spans.push(span);
  for (const log of logs) run.waiting.logs.push(log);
}

/** The past step by step: what ended in each, and what each instance exported at its end. */
async function backfill(run: Run, { fromMs, toMs }: { fromMs: number; toMs: number }, report: ShopReport): Promise<void> {
  let metrics: InstanceMetrics[] = [];
  run.world.advance({ fromMs: fromMs - LONGEST_TRACE_MS, toMs: fromMs });
  for (let atMs = fromMs, steps = 1; atMs < toMs; steps += 1) {
    run.signal.throwIfAborted();
    const untilMs = Math.min(toMs, atMs + stepBefore(toMs - atMs));
    run.world.advance({ fromMs: atMs, toMs: untilMs });
    take(run, untilMs, fromMs);
    metrics.push(...run.world.measure(untilMs));
    atMs = untilMs;
    if (steps % STEPS_AT_ONCE !== 0 && untilMs < toMs) continue;
    await flush(run, metrics);
    metrics = [];
    remember(run, untilMs);
    report.backfilling((untilMs - fromMs) / (toMs - fromMs));
  }
}

async function stayLive(run: Run, fromMs: number): Promise<void> {
  let madeToMs = fromMs;
  let exportedMs = fromMs;
  while (!run.signal.aborted) {
    const nowMs = Date.now();
    // A clock that was set back makes no second a second time.
    if (nowMs > madeToMs) {
      run.world.advance({ fromMs: madeToMs, toMs: nowMs });
      madeToMs = nowMs;
      take(run, nowMs, fromMs);
      const isDue = nowMs - exportedMs >= EXPORT_MS;
      if (isDue) exportedMs = nowMs;
      await flush(run, isDue ? run.world.measure(nowMs) : []);
      remember(run, nowMs);
    }
    await sleep(TICK_MS, undefined, { signal: run.signal });
  }
}

/** Delivers the shop's past and goes on live until the signal. Throws RefusedError where the receiver takes nothing of it. */
export async function runShop(options: ShopOptions, report: ShopReport, signal: AbortSignal): Promise<void> {
  const { seed, endpoint, state: file } = options;
  const beganMs = Date.now();
  const known = file === undefined ? undefined : loadShopMemory(file, options);
  const memory: ShopMemory = known ?? { seed, endpoint, anchorMs: beganMs, deliveredToMs: null };
  const world = createWorld({ seed, anchorMs: memory.anchorMs, weight: KEPT_ONE_OF });
  const poster = createPoster(options, { signal, onTrouble: report.trouble });
  const sent = { spans: 0, logs: 0, points: 0 };
  const run: Run = { world, poster, signal, memory, file, sent, waiting: { spans: [], logs: [] } };
  try {
    const fromMs = Math.max(beganMs - options.hours * HOUR, memory.deliveredToMs ?? 0);
    await backfill(run, { fromMs, toMs: beganMs }, report);
    report.complete({ ...run.sent, seconds: (Date.now() - beganMs) / 1000 });
    if (options.live) await stayLive(run, beganMs);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    poster.close();
  }
}
