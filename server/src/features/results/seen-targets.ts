import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** A target of devices' sessions, over all of them. */
export interface SeenTarget {
  /** Host, port unless usual, path unless the root. */
  target: string;
  address: string;
  port: number;
  devices: number;
  failed: number;
  /** Of those that failed, where the name was not resolved. */
  unresolved: number;
}

/** The most measured; a tenant's policy names 32 an agent. */
const MOST = 500;

/** Of each device and target the newest session, whatever copies of it are there. */
const SEEN = `SELECT target, any(address) AS address, any(port) AS port, count() AS devices, countIf(succeeded = 0) AS failed,
    countIf(succeeded = 0 AND phase = 'dns') AS unresolved
  FROM (SELECT target, argMax(server_address, ts) AS address, argMax(server_port, ts) AS port, argMax(success, ts) AS succeeded,
      argMax(attributes['error.phase'], ts) AS phase
    FROM latest_results WHERE tenant_id = {tenant:String} AND canary_type = 'endpoint.session' AND server_address != ''
      AND ts >= fromUnixTimestamp64Milli({sinceMs:Int64})
    GROUP BY agent_id, target)
  GROUP BY target ORDER BY devices DESC, target LIMIT ${MOST}`;

export const readSeenTargets = async (store: ColumnStore, tenant: TenantId, sinceMs: number): Promise<SeenTarget[]> =>
  await store.read<SeenTarget>(tenant, SEEN, { sinceMs });
