import { z } from 'zod';
import { TEST_TYPES, type TestType } from './test-types.ts';

/** What a runner of synthetic tests is and can do (docs/contract/tests.md). */

/** The runner inside of the control plane; there is one, whatever the tenant. */
export const BUILT_IN_RUNNER = 'built-in';

/** Why a runner cannot run a type; absent: it can. */
export const INCAPABILITIES = ['no_icmp', 'no_chromium', 'no_sandbox', 'no_ipv6', 'switched_off'] as const;
export type Incapability = (typeof INCAPABILITIES)[number];

export const Capabilities = z.partialRecord(z.enum(TEST_TYPES), z.enum(INCAPABILITIES));
/** By type what is missing; a type without an entry can be run. */
export type Capabilities = z.infer<typeof Capabilities>;

export const RunnerFacts = z.object({
  id: z.string().max(64),
  name: z.string().max(128),
  labels: z.record(z.string(), z.string()),
  site: z.string().max(128).optional(),
  connected: z.boolean(),
  lacks: Capabilities,
});
export type RunnerFacts = z.infer<typeof RunnerFacts>;

/** What is known of a runner and changes without moving any test. */
export interface KnownRunner extends RunnerFacts {
  /** Unix milliseconds. */
  contactAtMs?: number | undefined;
  /** Since when it is one of the tenant's; of the built-in one always. */
  sinceMs?: number | undefined;
}

export const canRun = ({ lacks }: Pick<RunnerFacts, 'lacks'>, type: TestType): boolean => lacks[type] === undefined;
