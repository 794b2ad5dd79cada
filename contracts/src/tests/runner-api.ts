import { z } from 'zod';
import { NamedActor } from './keeping.ts';
import { BUILT_IN_RUNNER } from './runner.ts';
import { Labels, TestName } from './test.ts';
import { RunnerView } from './views.ts';

/** What the `runners.*` procedures take and answer. */

const Site = z.string().trim().min(1).max(128);
const RunnerName = TestName.pipe(z.string().max(128));

export const RunnerList = z.object({ items: z.array(RunnerView) });
export type RunnerList = z.infer<typeof RunnerList>;

export const CreateRunnerToken = z.object({
  /** Of the runner that enrols with it, where that names none. */
  name: RunnerName.optional(),
  labels: Labels.default({}),
  site: Site.optional(),
  uses: z.int().min(1).max(1000).default(1),
  /** At most a year. */
  expires_in_hours: z.number().positive().max(8784).default(24),
});
export type CreateRunnerToken = z.infer<typeof CreateRunnerToken>;

export const RunnerToken = z.object({
  id: z.uuid(),
  name: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  site: z.string().nullable(),
  uses: z.int(),
  used: z.int(),
  state: z.enum(['valid', 'used_up', 'expired', 'revoked']),
  expires_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
  created_by: NamedActor,
});
export type RunnerToken = z.infer<typeof RunnerToken>;

/** The token is shown this once, within the commands to run on the other machine. */
export const CreatedRunnerToken = z.object({ token: z.string(), command: z.string(), runner_token: RunnerToken });
export type CreatedRunnerToken = z.infer<typeof CreatedRunnerToken>;

export const RunnerTokenList = z.object({ items: z.array(RunnerToken) });

/** What is left out stays; `site: null` takes it away. */
export const UpdateRunner = z.object({
  id: z.uuid(),
  name: RunnerName.optional(),
  labels: Labels.optional(),
  site: Site.nullable().optional(),
});
export type UpdateRunner = z.infer<typeof UpdateRunner>;

export const OfRunner = z.object({ id: z.uuid() });
export const RunnerChanged = z.object({ changed: z.int() });

/** Of one that can be named in a test: the built-in one, or an enrolled one. */
export const RunnerId = z.union([z.literal(BUILT_IN_RUNNER), z.uuid()]);
