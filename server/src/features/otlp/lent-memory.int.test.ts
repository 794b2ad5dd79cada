import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OutgoingMessage, STILL_WRITING } from '#bus';
import { AppError } from '#kernel';
import { makeRequest, postHttp } from './test-clients.ts';
import { startTestReceiver, type TestReceiver, TOKENS } from './test-receiver.ts';

const LANES = 4;
const ROUNDS = 16;

const away = (message: string, cause?: unknown) => new AppError('unavailable', message, { retryAfterSeconds: 1, cause });
/** What the bus does with a request, by the name of the request's service. */
const OUTCOMES: Readonly<Record<string, Error | undefined>> = {
  taken: undefined,
  full: away('The bus is full.'),
  closed: away('The bus is closed.', new Error('closed')),
  failed: new Error('a fault of ours'),
  stalled: away('The disk of the bus does not answer.', STILL_WRITING),
};
/** What never gets there: of another tenant, cut off, or too old to be kept. */
const BEFORE_BUS: Readonly<Record<string, number>> = { foreign: 403, broken: 400, old: 200 };
const STATUS: Readonly<Record<string, number>> = { taken: 200, full: 503, closed: 503, failed: 500, stalled: 503, ...BEFORE_BUS };
const NAMES = Object.keys(STATUS);
const DAY_MS = 86_400_000;

let number = 0;
/** The number of a piece of shared memory; it stands in its last bytes, which are beyond any request here. */
function numberOf({ buffer }: Buffer): number {
  if (!((buffer as ArrayBufferLike) instanceof SharedArrayBuffer)) throw new Error('This request does not lie in lent memory.');
  const mark = new Uint32Array(buffer, buffer.byteLength - 4, 1);
  if (mark[0] === 0) mark[0] = ++number;
  return mark[0] as number;
}

const seen = new Map<number, number>();
const held = new Set<number>();
const gone = new Set<number>();
const faults: string[] = [];

/** Notes which pieces it has, holds them over some turns, then takes or refuses. */
const bus = {
  async publish(_topic: string, messages: OutgoingMessage[]) {
    const pieces = messages.map(({ value }) => numberOf(value));
    for (const piece of pieces) {
      if (held.has(piece)) faults.push(`Piece ${piece} was lent to two at once.`);
      if (gone.has(piece)) faults.push(`Piece ${piece} was lent again while it may be on its way to the disk.`);
      held.add(piece);
      seen.set(piece, (seen.get(piece) ?? 0) + 1);
    }
    const told = messages.map(({ value }) => value.toString('latin1'));
    const name = Object.keys(OUTCOMES).find((outcome) => told[0]?.includes(`of-${outcome}`)) ?? '';
    await new Promise((resolve) => setTimeout(resolve, 3));
    if (messages.some(({ value }, i) => value.toString('latin1') !== told[i])) faults.push('A piece changed while it was held.');
    for (const piece of pieces) {
      if (name === 'stalled') gone.add(piece);
      held.delete(piece);
    }
    const error = OUTCOMES[name];
    if (error) throw error;
  },
};

let to: TestReceiver;
beforeAll(async () => {
  to = await startTestReceiver({ bus });
});
afterAll(() => to?.receiver.drain(100));

test('lent memory comes back once over every kind of refusal, but for what the disk may still be reading', async () => {
  const lane = async (first: number) => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = NAMES[(first + round) % NAMES.length] as string;
      const tenant = name === 'foreign' ? { tenant: 'other' } : {};
      const whole = makeRequest('traces', { service: `of-${name}`, ageMs: name === 'old' ? 999 * DAY_MS : 0, ...tenant });
      const body = name === 'broken' ? whole.subarray(0, -1) : whole;
      const { status } = await postHttp(to, { body, token: TOKENS.acme });
      expect([name, status]).toEqual([name, STATUS[name]]);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(i)));
  expect(faults).toEqual([]);
  expect(gone.size).toBe((LANES * ROUNDS) / NAMES.length);
  // No more pieces than were in hand at once: one that had not come back would have been made anew.
  expect(seen.size - gone.size).toBeLessThanOrEqual(LANES);
  const published = (LANES * ROUNDS * (NAMES.length - Object.keys(BEFORE_BUS).length)) / NAMES.length;
  expect([...seen.values()].reduce((sum, times) => sum + times, 0)).toBe(published);
});
