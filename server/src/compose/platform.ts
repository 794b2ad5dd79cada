import type { FastifyBaseLogger } from 'fastify';
import type { ConnectionPlan } from '#connections';
import type { Outbound } from '#outbound';
import type { Config } from '../config.ts';
import type { ServerTls } from '../process/local-tls.ts';
import type { Stores } from './stores.ts';

/** What every slice can be made of, whatever other slices there are. */
export interface Platform {
  config: Config;
  stores: Stores;
  tls: ServerTls;
  /** Calls to addresses outside. */
  outbound: Outbound;
  log: FastifyBaseLogger;
  /** What the listeners hold at most. */
  plan: ConnectionPlan;
  /** Open connections of the HTTPS and the agents' listener by state; undefined for one that is not there. */
  openConnections: () => Readonly<Record<string, Readonly<Record<string, number>> | undefined>>;
  /** Names of all procedures; known once the router is made. */
  procedures: () => ReadonlySet<string>;
}
