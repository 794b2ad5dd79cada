import { findRoute } from '@svc/native/gateway/index';
import { readingValue } from '@svc/native/reading';
import { measureResolver } from './resolver.ts';

/** As long as for the probes that it stands beside; all are under way at once. */
const TIMEOUT_MS = 1000;
/** One that is gone must not make the next one's answer late. */
const MAX_SERVERS = 2;

export interface ForwardingRequest {
  /** Numeric address of the next hop that is doubted. */
  readonly gateway: string;
  /** Numeric addresses of this device's DNS servers, in its order. */
  readonly servers: readonly string[];
  /** The name asked for. */
  readonly name: string;
  /** Queries, 1 to 25. */
  readonly count: number;
  readonly signal?: AbortSignal;
}

export interface ForwardingMeasurement {
  readonly sent: number;
  readonly lost: number;
}

/**
 * How many queries are lost on the way over a gateway to a DNS server that this device asks anyway. Routers answer for themselves
 * seldom, above all to several askers, yet pass all of this on. Undefined where no server lies that way.
 */
export type MeasureForwarding = (request: ForwardingRequest) => Promise<ForwardingMeasurement | undefined>;

export const measureForwarding: MeasureForwarding = async ({ gateway, servers, name, ...query }) => {
  let asked: ForwardingMeasurement | undefined;
  for (const server of servers.slice(0, MAX_SERVERS)) {
    if (!(await leadsOver(server, gateway))) continue;
    const { sent, lost } = await measureResolver({ server, names: [name], ...query, timeoutMs: TIMEOUT_MS });
    asked = { sent, lost };
    if (lost < sent) break;
  }
  return asked;
};

async function leadsOver(server: string, gateway: string): Promise<boolean> {
  if (server === gateway) return true;
  const next = readingValue(await findRoute(server))?.gateway;
  return next !== undefined && readingValue(next) === gateway;
}
