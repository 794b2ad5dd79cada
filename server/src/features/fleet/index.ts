import type { FastifyInstance } from 'fastify';
import { type AuditEntry, EVERY_ROLE, isTenantId, type Slice, type Subject, type TenantId } from '#kernel';
import { renameAgent, retireAgents, revokeAgents, setAgentOwner, setAgentSite } from './agents.ts';
import { type CreateEnrolToken, createFleetProcedures, type EnrolToken, type FleetVerbs } from './api.ts';
import { createAgentAuthority } from './authority/agent-authority.ts';
import { createRunnerAuthority } from './authority/runner-authority.ts';
import { createAgentVerifier, REVOKED_CHANNEL } from './authority/verify-agent.ts';
import { createFleetConnect } from './connect.ts';
import { type ContactLog, createContactLog } from './contact-log.ts';
import type { FleetContext, FleetDeps } from './context.ts';
import { describeEnrolCommand, enrolCommand } from './enrol/enrol-command.ts';
import { listEnrolTokens, mintEnrolToken, revokeEnrolToken } from './enrol/enrol-tokens.ts';
import { mintAtStart, type StartTokens } from './enrol/mint-at-start.ts';
import { startPurging } from './enrol/purge-tokens.ts';
import { eraseDevices, eraseFleet, findDevicesOf } from './erase.ts';
import { exportFleet } from './export.ts';
import { mountAgentRoutes } from './ingress.ts';
import { findNamed, nameObjects } from './name-objects.ts';
import { describeCollection } from './policy/disclosure.ts';
import { POLICY_CHANNEL, readFirstRun, readPolicy, setPolicy } from './policy/policy.ts';
import { createRunNow, RUN_NOW_CHANNEL } from './run-now.ts';

export type { AgentCopy, FleetDeps } from './context.ts';

type FleetConnect = ReturnType<typeof createFleetConnect>;

const createVerbs = (context: FleetContext, connect: FleetConnect, runNow: FleetVerbs['runNow']): FleetVerbs => ({
  listEnrolTokens: async (ctx) => await listEnrolTokens(context, ctx),
  createEnrolToken: async (ctx, input) => {
    const actor = { kind: ctx.principal.kind, id: ctx.principal.id };
    const { token, kept } = await mintEnrolToken(context, { tenant: ctx.principal.tenant, actor }, input);
    return { token, command: enrolCommand(context, token), enrol_token: kept };
  },
  revokeEnrolToken: async (ctx, input) => await revokeEnrolToken(context, ctx, input),
  enrolCommand: async () => describeEnrolCommand(context),
  getPolicy: async (ctx) => await readPolicy(context, ctx.principal.tenant),
  setPolicy: async (ctx, input) => {
    const view = await setPolicy(context, ctx, input);
    await connect.pushPolicy(ctx.principal.tenant);
    return view;
  },
  firstRun: async (ctx) => await readFirstRun(context, ctx),
  disclosure: async (ctx) => {
    const { tenant } = ctx.principal;
    const [{ policy, changed_at }, facts] = await Promise.all([readPolicy(context, tenant), context.describeTenant(tenant)]);
    return describeCollection(policy, { serverUrl: context.serverUrl, facts, changedAt: changed_at });
  },
  renameAgent: async (ctx, input) => await renameAgent(context, ctx, input),
  setSite: async (ctx, input) => await setAgentSite(context, ctx, input),
  setOwner: async (ctx, input) => await setAgentOwner(context, ctx, input),
  retireAgents: async (ctx, input) => await retireAgents(context, ctx, input),
  revokeAgents: async (ctx, input) => await revokeAgents(context, ctx, input),
  runNow,
});

/** Hears from other replicas; an empty payload means that something may have been missed. */
async function listenToReplicas(context: FleetContext, connect: FleetConnect): Promise<() => Promise<void>> {
  const failed = (error: unknown) => context.log.error({ err: error }, 'a notification of the fleet could not be followed');
  const stops = [
    await context.relational.listen(REVOKED_CHANNEL, (payload) => {
      const [tenant = '', agentId = ''] = payload.split('/');
      if (isTenantId(tenant) && agentId !== '') context.verifier.forget(tenant, agentId);
      else context.verifier.recheckAll().catch(failed);
    }),
    await context.relational.listen(POLICY_CHANNEL, (payload) => {
      const pushed = isTenantId(payload) ? connect.pushPolicy(payload) : connect.pushAllPolicies();
      pushed.catch(failed);
    }),
    await context.relational.listen(RUN_NOW_CHANNEL, (payload) => {
      const [tenant = '', agentId = ''] = payload.split('/');
      if (isTenantId(tenant)) connect.runNow(tenant, agentId);
    }),
  ];
  return async () => {
    for (const stop of stops) await stop();
  };
}

/** What compose/ and the command line need beside the slice. */
const createTools = (context: FleetContext, contacts: ContactLog) => ({
  /** PEM of the root that the agents' listener trusts; made at the first call ever. */
  agentRootCertificate: context.authority.rootCertificate,
  verifyAgent: context.verifier.verify,
  /** Issues and reads certificates of runners. */
  runnerAuthority: createRunnerAuthority(context),
  receiptSigner: context.authority.receiptSigner,
  /** Names of devices and enrol tokens, for the audit trail. */
  nameObjects: async (tenant: TenantId, ids: readonly string[]) => await nameObjects(context, tenant, ids),
  /** Devices that bear one of these names, in lower case. */
  findNamed: async (tenant: TenantId, names: readonly string[]) => await findNamed(context, tenant, names),
  /** Devices of a person, by the address of their owner. */
  findDevicesOf: async (tenant: TenantId, of: { email: string } | { agent: string }) => await findDevicesOf(context, tenant, of),
  watchRevoked: context.verifier.watchRevoked,
  /** A known agent outside of the version window: its state says so from now on. */
  noteUpgradeRequired: contacts.noteUpdateRequired,
  /** A sign of life beside the status stream: results came from it. */
  noteContact: (agent: { tenant: TenantId; agentId: string }): void => contacts.note(agent),
  /** Writes at once what devices told; otherwise it is written every two seconds. */
  flushContacts: contacts.flush,
  /** Mints an enrol token for the command line and for the agent that `npm start` runs; gives token, command and what is kept. */
  async createEnrolToken(
    owner: { tenant: TenantId; actor: AuditEntry['actor'] },
    input: CreateEnrolToken,
  ): Promise<{ token: string; command: string; kept: EnrolToken }> {
    const { token, kept } = await mintEnrolToken(context, owner, input);
    return { token, command: enrolCommand(context, token), kept };
  },
  /** What a start shows to enrol devices with; never rejects. */
  mintAtStart: async (tenant: TenantId): Promise<StartTokens> =>
    await mintAtStart(async (owner, input) => {
      const { token } = await mintEnrolToken(context, owner, input);
      return { token, command: enrolCommand(context, token) };
    }, tenant),
});

/**
 * Fleet: enrolment, certificates, the devices' own stream and what they are told to do (docs/contract/tenants-and-agents.md).
 * In: /agent/v1/*, gRPC Fleet. Out: agents, policy, identities for the gRPC edge.
 */
export function createFleet(deps: FleetDeps) {
  const authority = createAgentAuthority(deps);
  const verifier = createAgentVerifier({ relational: deps.relational, authority, clock: deps.clock });
  const context: FleetContext = { ...deps, authority, verifier };
  const contacts = createContactLog(context);
  const connect = createFleetConnect(context, contacts);
  let stopListening = async (): Promise<void> => {};
  let purging: ReturnType<typeof startPurging> | undefined;
  const slice = {
    name: 'fleet',
    roles: EVERY_ROLE,
    routes: (app: FastifyInstance): void => mountAgentRoutes(app, context),
    grpc: [connect.mount],
    procedures: createFleetProcedures(createVerbs(context, connect, createRunNow(context, connect))),
    start: async (): Promise<void> => {
      stopListening = await listenToReplicas(context, connect);
      purging = startPurging(context);
    },
    data: {
      owns: {
        relational: [
          'agent_intermediates',
          'agent_policies',
          'agent_renewals',
          'agent_root_ca',
          'agents',
          'enrol_token_directory',
          'enrol_tokens',
        ],
      },
      exportRows: (tenant: TenantId) => exportFleet(context, tenant),
      eraseTenant: (tenant: TenantId) => eraseFleet(context, tenant),
      eraseSubject: (tenant: TenantId, subject: Subject) => eraseDevices(context, tenant, subject),
    },
    close: async (): Promise<void> => {
      await stopListening();
      await purging?.close();
      await contacts.close();
    },
  } satisfies Slice;
  return { ...slice, ...createTools(context, contacts), connected: connect.connected };
}
