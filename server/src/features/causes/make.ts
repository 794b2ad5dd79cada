import type { RootCause } from '@svc/contracts/causes/root-cause';
import type { TenantId } from '#kernel';
import { assertFence, type Fence, type LeasedWork, startLeasedWork, type TenantSql, visitTenants } from '#relational';
import type { CausesDeps, ExplainedIncident } from './context.ts';
import { gather } from './gather.ts';
import {
  findRequest,
  keepExplanation,
  postponeRequest,
  type Requested,
  readNewest,
  readRequests,
  settleRequest,
} from './store.ts';

const EVERY_MS = 5000;
/** Of one tenant and round: the next round goes on. */
const MAX_A_ROUND = 20;
/** An explanation of what goes on is made anew when somebody looks and it is older than this. */
const FRESH_MS = 60_000;

type Door = <T>(work: (sql: TenantSql) => Promise<T>) => Promise<T>;

interface Making {
  door: Door;
  incident: ExplainedIncident;
  request: Requested | undefined;
  fence?: Fence | undefined;
}

/** Explains an incident by what every plane knows now, and keeps it. No transaction is open while the planes are asked. */
async function make(deps: CausesDeps, tenant: TenantId, { door, incident, request, fence }: Making): Promise<RootCause> {
  const madeAt = new Date(deps.clock.now());
  const { fromMs, toMs, ...explained } = await gather(deps, tenant, incident);
  const body = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), ...explained };
  return await door(async (sql) => {
    if (fence) await assertFence(sql, fence);
    const kept = await keepExplanation(sql, incident.id, { body, madeAt });
    if (request) await settleRequest(sql, request);
    return kept;
  });
}

async function makeOne(
  deps: CausesDeps,
  tenant: TenantId,
  { door, request, fence }: Omit<Making, 'incident'> & { request: Requested },
) {
  const incident = await deps.readIncident(tenant, { id: request.incident_id, isAsked: false });
  await make(deps, tenant, { door, incident, request, fence });
}

/** Explanations of one process: who asks for one that is being made waits for it. */
export function createMaker(deps: CausesDeps) {
  const { relational, clock, log } = deps;
  const making = new Map<string, Promise<RootCause>>();

  async function readOrMake(tenant: TenantId, incidentId: string): Promise<RootCause> {
    const door: Door = (work) => relational.withTenantSql(tenant, work);
    const incident = await deps.readIncident(tenant, { id: incidentId, isAsked: true });
    const { newest, requestedAt } = await door(async (sql) => ({
      newest: await readNewest(sql, incidentId),
      requestedAt: await findRequest(sql, incidentId),
    }));
    const isOld = newest !== undefined && incident.status !== 'resolved' && clock.now() - Date.parse(newest.made_at) > FRESH_MS;
    if (newest && !requestedAt && !isOld) return newest;
    const request = requestedAt && { incident_id: incidentId, requested_at: requestedAt };
    return await make(deps, tenant, { door, incident, request });
  }

  return {
    /** The explanation of an incident as it is now. AppError `not_found` for one that is not this tenant's. */
    read: async (tenant: TenantId, incidentId: string): Promise<RootCause> => {
      const key = `${tenant}/${incidentId}`;
      const known = making.get(key);
      if (known) return await known;
      const begun = readOrMake(tenant, incidentId).finally(() => making.delete(key));
      making.set(key, begun);
      return await begun;
    },
    /** Makes those that are asked for; one that fails is asked for again in the next round, behind the others. */
    makeRequested: async (tenant: TenantId, fence?: Fence): Promise<number> => {
      const door: Door = (work) => relational.withSystemSql(tenant, work);
      const requests = await door((sql) => readRequests(sql, MAX_A_ROUND));
      for (const request of requests) {
        if (fence?.signal.aborted) break;
        await makeOne(deps, tenant, { door, request, fence }).catch(async (error: unknown) => {
          log.warn({ err: error, tenant, incident: request.incident_id }, 'an incident could not be explained');
          await door((sql) => postponeRequest(sql, request.incident_id, new Date(clock.now())));
        });
      }
      return requests.length;
    },
  };
}

export type Maker = ReturnType<typeof createMaker>;

export const startMaking = (deps: CausesDeps, maker: Maker): LeasedWork =>
  startLeasedWork(deps.relational, {
    name: 'incident-causes',
    everyMs: EVERY_MS,
    log: deps.log,
    work: async (fence) => await visitTenants(deps, fence, async (tenant) => void (await maker.makeRequested(tenant, fence))),
  });
