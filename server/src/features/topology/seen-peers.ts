import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** Whom services call and nobody answers for: databases, queues and hosts elsewhere. */
export interface SeenPeer {
  target: string;
  calls: number;
  errors: number;
}

const MOST = 500;
const IN_WINDOW = 'tenant_id = {tenant:String} AND minute >= {from:UInt32} AND minute < {to:UInt32}';

const PEERS = `SELECT target, sum(calls) AS calls, sum(errors) AS errors FROM edges
  WHERE ${IN_WINDOW} AND kind IN ('database', 'queue', 'host')
    AND (minute, version) IN (SELECT minute, max(version) FROM edge_minutes WHERE ${IN_WINDOW} GROUP BY minute)
  GROUP BY target ORDER BY calls DESC, target LIMIT ${MOST}`;

/** Where a service answers, as those who call it say. */
export interface SeenService {
  service: string;
  host: string;
  /** 0 where nobody said it. */
  port: number;
  /** Of web pages; '' of anything else. */
  scheme: string;
  calls: number;
  errors: number;
}

/** Of a service, its most used hosts. */
const HOSTS_OF_SERVICE = 5;

const SERVICES = `SELECT toString(service) AS service, attributes['server.address'] AS host,
    toUInt16OrZero(any(attributes['server.port'])) AS port,
    any(if(http_method = '', '', attributes['url.scheme'])) AS scheme, count() AS calls, countIf(status = 2) AS errors
  FROM spans WHERE tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND kind = 2
    AND attributes['server.address'] != ''
  GROUP BY service, host ORDER BY calls DESC, service, host LIMIT ${HOSTS_OF_SERVICE} BY service LIMIT ${MOST}`;

/** Services that were called since a time, the busiest first. */
export const readSeenServices = async (store: ColumnStore, tenant: TenantId, fromMs: number): Promise<SeenService[]> =>
  await store.read<SeenService>(tenant, SERVICES, { fromMs });

/** Of a window in minutes since 1970, the end exclusive; the busiest first. */
export const readSeenPeers = async (
  store: ColumnStore,
  tenant: TenantId,
  window: { from: number; to: number },
): Promise<SeenPeer[]> => await store.read<SeenPeer>(tenant, PEERS, window);
