import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Ground, Side } from './ground.ts';
import { exportHttp } from './otlp.ts';
import { marked, request } from './payloads.ts';

let marks = 0;
/** A word that no other record has. */
export const newMark = (): string => {
  marks += 1;
  return `mark-${process.pid}-${Date.now().toString(36)}-${marks}`;
};

/** How many log records a side reads with this word in their text. */
export async function countLogs(ground: Ground, side: Side, text: string): Promise<number> {
  const path = `/v1/otlp/logs?limit=500&text=${encodeURIComponent(`"${text}"`)}`;
  const answer = await ground.api(path, { token: side.tokens.viewer, timeoutMs: 15_000 });
  if (answer.status !== 200) return -1;
  return (JSON.parse(answer.body) as { items: unknown[] }).items.length;
}

/** Sends one record and waits until its tenant reads it; milliseconds from the request to then, or Infinity. */
export async function ingestToReadable(ground: Ground, side: Side, limitMs = 30_000): Promise<number> {
  const mark = newMark();
  const began = performance.now();
  const body = request([marked('logs', mark)], [['service.name', 'quiet']]);
  for (;;) {
    const sent = await exportHttp(ground.doors.otlpHttp, { signal: 'logs', body, token: side.otlpToken });
    if (sent.status === 200) break;
    if (performance.now() - began > limitMs) return Number.POSITIVE_INFINITY;
    await sleep(100);
  }
  while (performance.now() - began < limitMs) {
    if ((await countLogs(ground, side, mark)) > 0) return performance.now() - began;
    await sleep(50);
  }
  return Number.POSITIVE_INFINITY;
}

export interface Planted {
  marks: readonly string[];
  audit: number;
}

/** Data of the victim that no attack may lose: read again after each. */
export async function plant(ground: Ground): Promise<Planted> {
  const all = Array.from({ length: 20 }, newMark);
  for (const mark of all) {
    const body = request([marked('logs', mark)], [['service.name', 'planted']]);
    const { status } = await exportHttp(ground.doors.otlpHttp, { signal: 'logs', body, token: ground.victim.otlpToken });
    if (status !== 200) throw new Error(`planting was answered ${status}`);
  }
  return { marks: all, audit: 0 };
}

const PLANTED_PATH = '/v1/otlp/logs?limit=500&service=planted';

/** The server is up and ready, and the victim still reads all of its own. */
export async function expectWhole(
  ground: Ground,
  planted: Planted,
  { timeout = 20_000, interval = 200 }: { timeout?: number; interval?: number } = {},
): Promise<void> {
  const { child } = ground.server;
  expect({ exited: child.exitCode ?? child.signalCode }).toEqual({ exited: null });
  await expect.poll(async () => (await ground.api('/readyz')).status, { timeout: 15_000, interval: 200 }).toBe(200);
  const read = async () => {
    const answer = await ground.api(PLANTED_PATH, { token: ground.victim.tokens.viewer });
    if (answer.status !== 200) return [`answered ${answer.status}`];
    const found = (JSON.parse(answer.body) as { items: { body: unknown }[] }).items;
    const texts = JSON.stringify(found);
    return planted.marks.filter((mark) => !texts.includes(mark));
  };
  await expect.poll(read, { timeout, interval }).toEqual([]);
}
