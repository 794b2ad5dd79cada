import type { ServerMessage } from '@svc/contracts/agent/messages';
import { expect, it } from 'vitest';
import type { KeptFile } from '../kept-file.ts';
import { openControlPlaneFacts } from './control-plane-facts.ts';

const memory = (held?: unknown): KeptFile & { held: unknown } => ({
  held,
  async read() {
    return structuredClone(this.held);
  },
  async write(value) {
    this.held = structuredClone({ ...(value as object), hear: undefined });
  },
});
const message = (change: Partial<ServerMessage>): ServerMessage => ({
  policy_json: '',
  run_now: false,
  server_clock_ms: 0,
  renew_now: false,
  ...change,
});

it('keeps what the control plane says of itself, and tells what is new', async () => {
  const file = memory();
  const facts = await openControlPlaneFacts(file);
  expect(facts).toMatchObject({ organisation: null, readers: null, keptDays: null, ring: null });
  const said = message({ organisation: 'Example', readers: 4, kept_days: 30, ring: 'early' });
  expect([facts.hear(said), facts.hear(said)]).toEqual([true, false]);
  // Empty and 0: unchanged.
  expect(facts.hear(message({ organisation: '', readers: 0, ring: '' }))).toBe(false);
  expect(await openControlPlaneFacts(file)).toMatchObject({ organisation: 'Example', readers: 4, keptDays: 30, ring: 'early' });
});

it('knows what others have too until it is told otherwise, and does not keep it', async () => {
  const file = memory();
  const facts = await openControlPlaneFacts(file);
  const shared = { cause: 'wifi', others: 8, sinceMs: 1_795_000_000_000 };
  expect(facts.hear(message({ shared_json: JSON.stringify(shared) }))).toBe(true);
  expect(facts.shared).toEqual(shared);
  expect(facts.hear(message({ shared_json: '' }))).toBe(false);
  expect((await openControlPlaneFacts(file)).shared).toBeNull();
  expect(facts.hear(message({ shared_json: '{}' }))).toBe(true);
  expect(facts.shared).toBeNull();
});

it.each([null, 'x', { organisation: 7, readers: -1, keptDays: 'many', ring: 'nightly' }])(
  'takes nothing from a damaged file %j',
  async (held) => {
    const facts = await openControlPlaneFacts(memory(held));
    expect(facts).toMatchObject({ organisation: null, readers: null, keptDays: null, ring: null });
    expect(facts.hear(message({ ring: 'nightly', organisation: 'x'.repeat(1000) }))).toBe(true);
    expect([facts.ring, facts.organisation?.length]).toEqual([null, 256]);
  },
);
