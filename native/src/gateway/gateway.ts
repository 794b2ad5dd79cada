import type { Reading } from '../reading.ts';

/** How the system would send a packet to one destination, policy routing and VPN included. */
export interface Route {
  readonly family: 4 | 6;
  /** Next hop; unavailable `tunnel` inside a tunnel and `no_target` where the destination is on this link. */
  readonly gateway: Reading<string>;
  readonly interfaceName: string;
  /** Scope of a link-local gateway. */
  readonly interfaceIndex: number;
  /** Address the system would send from. */
  readonly source: Reading<string>;
  /** The route leaves through a tunnel (VPN). */
  readonly tunnel: boolean;
}

/** Looks the route up for a numeric address. `no_target`: there is no route. Throws a RangeError on what is no address. */
export type FindRoute = (destination: string) => Promise<Reading<Route>>;
