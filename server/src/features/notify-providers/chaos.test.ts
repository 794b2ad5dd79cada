import { createChance, type Fault, failShare } from '@svc/testkit/providers/faults';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Message, Outcome, Reference } from '#kernel';
import { type Authority, makeAuthority, messageOf, type Simulated, type SimulatedKind, simulate } from './test-providers.ts';

/**
 * A third of all calls fails, before or after the provider has done what it was asked. Whoever goes by the outcomes alone, as the outbox does, ends with
 * one object an incident, resolved.
 */

const INCIDENTS = 12;
const MOST_STEPS = 200;
const FAULTS: readonly Fault[] = [
  { kind: 'cut' },
  { kind: 'drop' },
  { kind: 'half_closed' },
  { kind: 'html' },
  { kind: 'wrong_json' },
  { kind: 'done_then', status: 502 },
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 503, headers: { 'retry-after': '3' } },
  { kind: 'answer', status: 429 },
];
/** Those that can keep to one. Of a receiver that takes any 2xx for a yes, a foreign page would be one. */
const KINDS: readonly SimulatedKind[] = ['pager_a', 'pager_b', 'chat_a', 'ticket_a', 'ticket_b', 'webhook'];

let authority: Authority;
beforeAll(async () => {
  authority = await makeAuthority();
});

interface Clock {
  ms: number;
}

/** Until it is done, by the outcome of each step; the clock is passed on as a timer would. */
async function carryOut(
  at: Simulated,
  clock: Clock,
  step: { message: Message; verb: 'open' | 'resolve'; reference: Reference | null },
) {
  const { provider, to } = at;
  const { verb, reference } = step;
  const can = provider.capabilities(to);
  let isPossibleRepeat = false;
  for (let count = 0; count < MOST_STEPS; count += 1) {
    clock.ms += 2000;
    const message = { ...step.message, isPossibleRepeat };
    const outcome: Outcome = verb === 'open' ? await provider.open(to, message) : await provider.resolve(to, message, reference);
    if (outcome.is === 'sent') return outcome.reference;
    if (outcome.is === 'accepted') {
      const isDone = outcome.request === null || (await confirm(at, clock, outcome.request));
      if (isDone) return outcome.reference;
    } else if (outcome.is === 'ambiguous') {
      isPossibleRepeat = true;
      const found = verb === 'open' && can.canBeFound ? await find(at, clock, message) : undefined;
      if (found) return found;
    } else if (outcome.is !== 'retry') throw new Error(`${verb}: ${JSON.stringify(outcome)}`);
  }
  throw new Error(`${verb} of ${step.message.key} was never done`);
}

async function confirm({ provider, to }: Simulated, clock: Clock, request: string): Promise<boolean> {
  for (let count = 0; count < MOST_STEPS; count += 1) {
    const confirmation = await provider.confirm(to, request);
    if (confirmation.is !== 'pending') return confirmation.is === 'confirmed';
    clock.ms += confirmation.afterMs ?? 1000;
  }
  throw new Error(`${request} was never confirmed`);
}

async function find({ provider, to }: Simulated, clock: Clock, message: Message): Promise<Reference | undefined> {
  const sentAtMs = clock.ms;
  for (let count = 0; count < MOST_STEPS; count += 1) {
    const finding = await provider.find(to, message, sentAtMs);
    if (finding.is === 'found') return finding.reference;
    if (finding.is === 'absent') return undefined;
    clock.ms += finding.is === 'unknown' ? (finding.afterMs ?? 1000) : 1000;
  }
  throw new Error(`${message.key} was neither found nor missed`);
}

describe.each(KINDS)('%s that fails a third of all calls', (kind) => {
  it.each([1, 2])('has one object an incident at the end (seed %i)', async (seed) => {
    const clock: Clock = { ms: Date.parse('2026-11-26T14:00:00Z') };
    const at = await simulate(kind, authority, { now: () => clock.ms });
    const faults = kind === 'webhook' ? FAULTS.filter((one) => one.kind !== 'html' && one.kind !== 'wrong_json') : FAULTS;
    at.sim.faults.plan(failShare(1 / 3, faults, createChance(seed)));
    const keys = Array.from({ length: INCIDENTS }, (_, place) => `svc-chaos-${seed}-${String(place).padStart(2, '0')}`);
    for (const key of keys) {
      const message = messageOf({ key, at: new Date(clock.ms) });
      const reference = await carryOut(at, clock, { message, verb: 'open', reference: null });
      const resolving = messageOf({ key, at: new Date(clock.ms) }, { status: 'resolved' });
      await carryOut(at, clock, { message: resolving, verb: 'resolve', reference });
    }
    await at.sim.close();
    expect(at.sim.objects().map((one) => [one.key, one.state])).toEqual(keys.map((key) => [key, 'resolved']));
    expect(at.sim.breaches).toEqual([]);
  });
});
