import { setTimeout as sleep } from 'node:timers/promises';
import type { Ground, Side } from './ground.ts';

const LIMIT_MS = 30_000;
const EVERY_MS = 250;

export interface OpenIncident {
  incident: string;
  signal: string;
}

interface ListedSignal {
  id: string;
  incident_id: string | null;
  attributes: Record<string, string>;
}

async function findIncident(ground: Ground, side: Side, test: string): Promise<OpenIncident> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(EVERY_MS)) {
    const { body } = await ground.api('/v1/signals?order=newest&limit=50', { token: side.tokens.admin });
    const { items } = JSON.parse(body) as { items: ListedSignal[] };
    const signal = items.find(({ attributes }) => attributes['test.id'] === test);
    if (signal?.incident_id) return { incident: signal.incident_id, signal: signal.id };
  }
  throw new Error(`the test ${test} opened no incident`);
}

/**
 * Opens an incident of a tenant in the one way that there is: a test of it fails. Two tests that fail at one address are one incident. The
 * tests are paused afterwards, so that nothing of them runs beside other attacks.
 */
export async function openIncident(ground: Ground, side: Side, { name, address }: { name: string; address: string }) {
  const token = side.tokens.admin;
  const test = { name, type: 'tcp', target: `${address}:9`, interval_seconds: 1, failing_after: 1 };
  const made = await ground.api('/v1/tests', { token, json: test });
  if (made.status !== 201) throw new Error(`a test that fails was not made: ${made.status} ${made.body}`);
  const { id } = JSON.parse(made.body) as { id: string };
  const found = await findIncident(ground, side, id);
  await ground.trpc('tests.setEnabled', { ids: [id], enabled: false }, { token, mutation: true });
  return found;
}
