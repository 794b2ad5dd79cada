import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLanes, type Lanes, type Turn } from './lanes.ts';

const KIB = 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Requests of a tenant that come at once, and the turns that began so far, in order. */
function comeTogether(lanes: Lanes, tenant: string, count: number): Turn[] {
  const begun: Turn[] = [];
  for (let i = 0; i < count; i++) void Promise.resolve(lanes.begin(tenant)).then((turn) => begun.push(turn));
  return begun;
}

const settled = () => vi.advanceTimersByTimeAsync(0);

/** So that the lanes know how large this tenant's requests are; one of them stays in hand. */
async function learn(lanes: Lanes, tenant: string, bytes: number): Promise<Turn> {
  const [stays] = await Promise.all([lanes.begin(tenant)]);
  for (let i = 0; i < 200; i++) {
    const turn = await lanes.begin(tenant);
    turn.arrived(bytes);
    turn.end();
  }
  stays?.arrived(bytes);
  return stays as Turn;
}

describe('lanes', () => {
  it('reads all that a tenant sends while it is alone, beside others 1 MiB at a time, in order as they are answered', async () => {
    const lanes = createLanes();
    const first = await learn(lanes, 'flood', 256 * KIB);
    const before = comeTogether(lanes, 'flood', 40);
    await settled();
    expect(before.length).toBe(40);
    for (const turn of before) turn.arrived(256 * KIB);

    const quiet = comeTogether(lanes, 'quiet', 1);
    const begun = comeTogether(lanes, 'flood', 40);
    await settled();
    expect(quiet.length).toBe(1);
    expect(begun.length).toBe(0);

    // What is in hand is answered; nothing comes in its place before less than 1 MiB is left.
    first.end();
    for (const turn of before.slice(0, 36)) turn.end();
    await settled();
    expect(begun.length).toBe(0);
    before[36]?.end();
    await settled();
    expect(begun.length).toBe(1);
    begun[0]?.arrived(256 * KIB);
    quiet.push(...comeTogether(lanes, 'quiet', 1));
    await settled();
    expect(begun.length).toBe(1);

    // Nobody else came for a while.
    await vi.advanceTimersByTimeAsync(10_050);
    expect(begun.length).toBe(40);
  });

  it('counts a request for what it is charged, not for the bytes that came', async () => {
    const lanes = createLanes();
    const first = await learn(lanes, 'small', 16 * KIB);
    await lanes.begin('other');
    const begun = comeTogether(lanes, 'small', 40);
    await settled();
    expect(begun.length).toBe(40);
    for (const turn of begun) {
      turn.arrived(16 * KIB);
      turn.charged(8 * KIB * KIB);
    }
    const more = comeTogether(lanes, 'small', 10);
    for (const turn of [first, ...begun.slice(1)]) turn.end();
    await settled();
    expect(more.length).toBe(1);
  });

  it('reads two requests of a tenant at once however large they are', async () => {
    const lanes = createLanes();
    const first = await learn(lanes, 'large', 16 * KIB * KIB);
    await lanes.begin('other');
    const begun = comeTogether(lanes, 'large', 3);
    await settled();
    expect(begun.length).toBe(1);
    first.end();
    await settled();
    expect(begun.length).toBe(2);
  });

  it('does not let those that send slowly keep others of their tenant from their turn', async () => {
    const lanes = createLanes();
    await learn(lanes, 'far', 2048 * KIB);
    await lanes.begin('other');
    const slow = comeTogether(lanes, 'far', 64);
    await settled();
    expect(slow.length).toBe(1);
    await vi.advanceTimersByTimeAsync(50);
    expect(slow.length).toBe(2);
    // They count again when all of them is there.
    for (const turn of slow) turn.arrived(2048 * KIB);
    await vi.advanceTimersByTimeAsync(500);
    expect(slow.length).toBe(2);
    for (const turn of slow.slice()) turn.end();
    await settled();
    expect(slow.length).toBe(3);
  });

  it('forgets a tenant that has nothing in hand', async () => {
    const lanes = createLanes();
    (await lanes.begin('gone')).end();
    expect(vi.getTimerCount()).toBe(0);
  });
});
