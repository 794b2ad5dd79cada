import { COLLECT_ITEMS } from '@svc/contracts/agent/ipc';
import { Policy } from '@svc/contracts/policy';
import { z } from 'zod';
import { permitted, router } from '#api';
import type { Ctx } from '#kernel';

const instant = z.iso.datetime();
const nothing = z.object({});
/** Something a person typed: trimmed, without control characters. */
const words = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, 'No control characters.');
const site = words(128);
const ids = z.array(z.uuid()).min(1).max(200);

/** An enrol token as it is kept: never its secret. */
export const EnrolToken = z.object({
  id: z.uuid(),
  label: z.string().nullable(),
  site: z.string().nullable(),
  owner: z.string().nullable(),
  uses: z.int(),
  used: z.int(),
  state: z.enum(['valid', 'used_up', 'expired', 'revoked']),
  expires_at: instant,
  created_at: instant,
  created_by: z.string(),
  last_used_at: instant.nullable(),
});
export type EnrolToken = z.infer<typeof EnrolToken>;

export const CreateEnrolToken = z.object({
  label: words(100).optional(),
  site: site.optional(),
  owner: z.email().max(320).optional(),
  uses: z.int().min(1).max(100_000).default(1),
  /** Hours until it expires; at most a year. */
  expires_in_hours: z.number().positive().max(8784).default(24),
});
export type CreateEnrolToken = z.infer<typeof CreateEnrolToken>;

/** The token is shown this once. */
export const CreatedEnrolToken = z.object({
  token: z.string(),
  /** What to run on the other device, complete. */
  command: z.string(),
  enrol_token: EnrolToken,
});
export type CreatedEnrolToken = z.infer<typeof CreatedEnrolToken>;

/** The commands, one per line, with `<token>` in the token's place; `reachable` is false while the address names only this very machine. */
export const EnrolCommand = z.object({ server: z.string(), command: z.string(), reachable: z.boolean() });
export type EnrolCommand = z.infer<typeof EnrolCommand>;

export const PolicyView = z.object({
  policy: Policy,
  /** False until somebody chose what to trace, or chose nothing on purpose. */
  chosen: z.boolean(),
  changed_at: instant.nullable(),
});
export type PolicyView = z.infer<typeof PolicyView>;

/** A change on top of `expected_version`; what is left out stays. `conflict` when somebody else was faster. */
export const SetPolicy = z.object({
  expected_version: z.int().nonnegative(),
  policy: Policy.omit({ version: true }),
});
export type SetPolicy = z.infer<typeof SetPolicy>;

/** One offer of the first-run page; data only: the server never contacts it. */
export const PickListEntry = z.object({
  id: z.string(),
  label: z.string(),
  operator: z.string(),
  /** Trace targets are hosts, session targets are URLs. */
  kind: z.enum(['trace', 'session']),
  target: z.string(),
  why: z.string(),
});
export type PickListEntry = z.infer<typeof PickListEntry>;

export const FirstRun = z.object({
  chosen: z.boolean(),
  trace_targets: z.array(z.string()),
  session_targets: z.array(z.string()),
  policy_version: z.int(),
  devices: z.int(),
  devices_reporting: z.int(),
  pick_list: z.array(PickListEntry),
});
export type FirstRun = z.infer<typeof FirstRun>;

export const Disclosure = z.object({
  /** What agents of this tenant collect, in sentences for the people who use the devices. */
  collected: z.array(z.object({ what: z.string(), why: z.string(), every_seconds: z.number().nullable() })),
  never: z.array(z.string()),
  withheld: z.array(z.string()),
  contacted: z.array(z.object({ target: z.string(), why: z.string() })),
  policy_version: z.int(),
  policy_changed_at: instant.nullable(),
  /** The same by item, in the order of the devices' own page, for a face that has words of its own. */
  items: z.array(
    z.object({
      item: z.enum(COLLECT_ITEMS),
      on: z.boolean(),
      decided_by: z.enum(['policy', 'device', 'you', 'default']),
      every_seconds: z.number().nullable(),
      targets: z.array(z.string()),
    }),
  ),
  /** Null where nobody named the tenant. */
  organisation: z.string().nullable(),
  /** People who may see what devices send. */
  readers: z.int().nullable(),
  kept_days: z.int(),
  must_accept: z.boolean(),
  max_pause_minutes: z.int(),
});
export type Disclosure = z.infer<typeof Disclosure>;

export const Changed = z.object({ changed: z.int() });
export const RenameAgent = z.object({ id: z.uuid(), name: words(255).nullable() });
export type RenameAgent = z.infer<typeof RenameAgent>;
export const SetSite = z.object({ ids, site: site.nullable() });
export type SetSite = z.infer<typeof SetSite>;
export const SetOwner = z.object({ ids, owner: z.email().max(320).nullable() });
export type SetOwner = z.infer<typeof SetOwner>;
export const AgentIds = z.object({ ids });
export type AgentIds = z.infer<typeof AgentIds>;
/** `connected`: the device holds a stream open now, so that it measures at once. */
export const RunNowAnswer = z.object({ connected: z.boolean() });

export interface FleetVerbs {
  listEnrolTokens(ctx: Ctx): Promise<{ items: EnrolToken[] }>;
  createEnrolToken(ctx: Ctx, input: CreateEnrolToken): Promise<CreatedEnrolToken>;
  revokeEnrolToken(ctx: Ctx, input: { id: string }): Promise<{ changed: number }>;
  enrolCommand(ctx: Ctx): Promise<EnrolCommand>;
  getPolicy(ctx: Ctx): Promise<PolicyView>;
  setPolicy(ctx: Ctx, input: SetPolicy): Promise<PolicyView>;
  firstRun(ctx: Ctx): Promise<FirstRun>;
  disclosure(ctx: Ctx): Promise<Disclosure>;
  renameAgent(ctx: Ctx, input: RenameAgent): Promise<{ changed: number }>;
  setSite(ctx: Ctx, input: SetSite): Promise<{ changed: number }>;
  setOwner(ctx: Ctx, input: SetOwner): Promise<{ changed: number }>;
  retireAgents(ctx: Ctx, input: AgentIds): Promise<{ changed: number }>;
  revokeAgents(ctx: Ctx, input: AgentIds): Promise<{ changed: number }>;
  runNow(ctx: Ctx, input: { id: string }): Promise<{ connected: boolean }>;
}

const tags = ['fleet'];

const enrolTokenProcedures = (verbs: FleetVerbs) =>
  router({
    list: permitted('agent.write', {
      rest: { method: 'GET', path: '/enrol-tokens', tags, summary: 'Enrol tokens, newest first' },
    })
      .input(nothing)
      .output(z.object({ items: z.array(EnrolToken) }))
      .query(({ ctx }) => verbs.listEnrolTokens(ctx)),
    create: permitted('agent.write', {
      rest: { method: 'POST', path: '/enrol-tokens', status: 201, tags, summary: 'Create an enrol token; shown once' },
    })
      .input(CreateEnrolToken)
      .output(CreatedEnrolToken)
      .mutation(({ ctx, input }) => verbs.createEnrolToken(ctx, input)),
    revoke: permitted('agent.write', {
      rest: { method: 'DELETE', path: '/enrol-tokens/:id', tags, summary: 'Revoke an enrol token', errors: ['not_found'] },
    })
      .input(z.object({ id: z.uuid() }))
      .output(Changed)
      .mutation(({ ctx, input }) => verbs.revokeEnrolToken(ctx, input)),
  });

const agentProcedures = (verbs: FleetVerbs) =>
  router({
    /** `name: null` gives the device its own name back. */
    rename: permitted('agent.write')
      .input(RenameAgent)
      .output(Changed)
      .mutation(({ ctx, input }) => verbs.renameAgent(ctx, input)),
    setSite: permitted('agent.write')
      .input(SetSite)
      .output(Changed)
      .mutation(({ ctx, input }) => verbs.setSite(ctx, input)),
    setOwner: permitted('agent.write')
      .input(SetOwner)
      .output(Changed)
      .mutation(({ ctx, input }) => verbs.setOwner(ctx, input)),
    /** The device is gone for good; it may come back with a new enrol token. */
    retire: permitted('agent.write')
      .input(AgentIds)
      .output(Changed)
      .mutation(({ ctx, input }) => verbs.retireAgents(ctx, input)),
    /** The device's key is not trusted any more; its streams end at once and this key never enrols again. */
    revoke: permitted('agent.write')
      .input(AgentIds)
      .output(Changed)
      .mutation(({ ctx, input }) => verbs.revokeAgents(ctx, input)),
  });

/** `fleet.*` over tRPC, and below /v1 over REST where a path is given. */
export const createFleetProcedures = (verbs: FleetVerbs) =>
  router({
    enrolTokens: enrolTokenProcedures(verbs),
    enrolCommand: permitted('agent.write')
      .input(nothing)
      .output(EnrolCommand)
      .query(({ ctx }) => verbs.enrolCommand(ctx)),
    policy: router({
      get: permitted('agent.read', { rest: { method: 'GET', path: '/agent-policy', tags, summary: 'The measuring policy' } })
        .input(nothing)
        .output(PolicyView)
        .query(({ ctx }) => verbs.getPolicy(ctx)),
      set: permitted('settings.write', {
        rest: { method: 'PUT', path: '/agent-policy', tags, summary: 'Change the measuring policy', errors: ['conflict'] },
      })
        .input(SetPolicy)
        .output(PolicyView)
        .mutation(({ ctx, input }) => verbs.setPolicy(ctx, input)),
    }),
    firstRun: permitted('agent.read')
      .input(nothing)
      .output(FirstRun)
      .query(({ ctx }) => verbs.firstRun(ctx)),
    disclosure: permitted('agent.read', {
      rest: { method: 'GET', path: '/agent-disclosure', tags, summary: 'What agents of this tenant collect' },
    })
      .input(nothing)
      .output(Disclosure)
      .query(({ ctx }) => verbs.disclosure(ctx)),
    agents: agentProcedures(verbs),
    // Changes nothing that is kept: it asks a device to measure earlier than it would, so it writes no audit entry.
    runNow: permitted('agent.write', { unaudited: true })
      .input(z.object({ id: z.uuid() }))
      .output(RunNowAnswer)
      .mutation(({ ctx, input }) => verbs.runNow(ctx, input)),
  });
