import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import type { Ground } from '../harness/ground.ts';
import { exportHttp } from '../harness/otlp.ts';
import { logRecord, nsOf, request } from '../harness/payloads.ts';
import { countLogs, newMark } from '../harness/victim.ts';

const RECORDS = 1000;
/** As many values of as many characters as a list shows: 55 KB a record. */
const VALUES = 100;
const VALUE = 512;
/** Of one page, with what JSON adds to 8 MiB of text. */
const MOST_PAGE_BYTES = 10 * 1024 * 1024;
/** Calls of one tRPC batch. */
const BATCH = 10;
const READABLE_MS = 20_000;
/** On a machine that is busy with other tests too; the batch alone held up everybody for 429 before its pages shared one answer. */
const IN_TIME_MS = 1500;

async function sendHeavy(ground: Ground, mark: string): Promise<void> {
  const attributes = Array.from({ length: VALUES }, (_, i) => [`key.${i}`, `${i}`.padEnd(VALUE, 'v')] as const);
  const atNs = nsOf(Date.now());
  const at = (i: number) => logRecord({ atNs: atNs + BigInt(i), body: mark.padEnd(3000, ' x'), attributes });
  for (let first = 0; first < RECORDS; first += 50) {
    const body = request(
      Array.from({ length: 50 }, (_, i) => at(first + i)),
      [['service.name', mark]],
    );
    const sent = await exportHttp(ground.doors.otlpHttp, { signal: 'logs', body, token: ground.hostile.otlpToken, gzip: true });
    expect(sent.status).toBe(200);
  }
}

/** The slowest answer that the victim gets to small questions until the work is done, milliseconds. */
async function slowestBeside(ground: Ground, work: Promise<unknown>): Promise<number> {
  let slowest = 0;
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const began = performance.now();
    expect((await ground.api('/v1/me', { token: ground.victim.tokens.viewer })).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - began);
    await sleep(20);
  }
  await done;
  return slowest;
}

attack({
  name: 'pages of heavy records end at 8 MiB, and a batch of them comes to no more',
  surfaces: ['trpc logs.list', 'GET /v1/otlp/logs'],
  cost: 'short',
  async run(ground) {
    const mark = newMark();
    await sendHeavy(ground, mark);
    await expect.poll(() => countLogs(ground, ground.hostile, mark), { timeout: READABLE_MS, interval: 300 }).toBeGreaterThan(0);
    const token = ground.hostile.tokens.viewer;
    const page = await ground.api(`/v1/otlp/logs?limit=${RECORDS}&service=${mark}`, { token, timeoutMs: 20_000 });
    expect(page.status).toBe(200);
    expect(page.body.length).toBeLessThan(MOST_PAGE_BYTES);
    expect(JSON.parse(page.body)).toMatchObject({ next_cursor: expect.any(String) });

    const inputs = Object.fromEntries(Array.from({ length: BATCH }, (_, i) => [i, { service: [mark], limit: RECORDS }]));
    const calls = Array(BATCH).fill('logs.list').join(',');
    const path = `/trpc/${calls}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
    const batch = ground.api(path, { token, timeoutMs: 60_000 });
    const slowestMs = await slowestBeside(ground, batch);
    const { body } = await batch;
    expect(body).toContain(mark);
    expect(body.length).toBeLessThan(MOST_PAGE_BYTES);
    expect({ isInTime: slowestMs < IN_TIME_MS, slowestMs }).toEqual({ isInTime: true, slowestMs });
  },
});
