import { BUILT_IN_RUNNER, Capabilities, type RunnerFacts } from '@svc/contracts/tests/runner';
import { z } from 'zod';
import type { Relational } from '#relational';

/** How often the built-in runner says that it is there, and after how long of silence it counts as gone. */
export const TOLD_EVERY_MS = 10_000;
export const GONE_AFTER_MS = 45_000;

export const BuiltInState = z.object({
  version: z.string(),
  lacks: Capabilities,
  cpu_ratio: z.number(),
  rss_bytes: z.number(),
  waiting: z.int(),
});
export type BuiltInState = z.infer<typeof BuiltInState>;

export interface BuiltInRow {
  state: BuiltInState;
  connectedAt: Date;
  contactAt: Date;
}

export async function noteBuiltIn(relational: Pick<Relational, 'directory'>, row: BuiltInRow): Promise<void> {
  await relational.directory('note_built_in_runner', [JSON.stringify(row.state), row.connectedAt, row.contactAt]);
}

export async function readBuiltIn(relational: Pick<Relational, 'directory'>): Promise<BuiltInRow | undefined> {
  const [row] = await relational.directory<{ state: unknown; connected_at: Date; contact_at: Date }>('built_in_runner');
  const state = BuiltInState.safeParse(row?.state);
  return row && state.success ? { state: state.data, connectedAt: row.connected_at, contactAt: row.contact_at } : undefined;
}

/** The runner of every tenant, also before it has said anything. */
export const builtInFacts = (row: BuiltInRow | undefined, nowMs: number): RunnerFacts => ({
  id: BUILT_IN_RUNNER,
  name: 'Built in',
  labels: {},
  connected: row !== undefined && nowMs - row.contactAt.getTime() < GONE_AFTER_MS,
  lacks: row?.state.lacks ?? {},
});
