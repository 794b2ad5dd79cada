import { createHmac } from 'node:crypto';

/**
 * What tells one network from another on this device. Nothing in it identifies a card or an access point by its hardware address.
 * A field that the system does not tell is undefined.
 */
export interface NetworkIdentity {
  readonly ssid: string | undefined;
  /** The physical gateway, below a tunnel as well. */
  readonly gateway: string | undefined;
  /** The domain that DHCP or the connection's settings gave, lower case. */
  readonly domain: string | undefined;
  /** A tunnel carries the default route: the same network has other delays through it. */
  readonly tunnel: boolean;
}

export interface IdentityRequest {
  /**
   * False: the SSID is not asked for where asking needs the location permission or shows its sign (Windows, macOS). On Linux it takes
   * neither and is read.
   */
  readonly collectSsid: boolean;
}

/** Sends nothing. Never throws; undefined while there is no way out of this device. */
export type ReadNetworkIdentity = (request: IdentityRequest) => Promise<NetworkIdentity | undefined>;

/**
 * A name for a network that means nothing without `salt`, which stays on this device: 128 bits of a keyed digest. It holds no
 * hardware address and must not leave the device either. The same network gives the same name as long as the salt lives.
 */
export function networkFingerprint({ ssid, gateway, domain, tunnel }: NetworkIdentity, salt: Buffer): string {
  const fields = JSON.stringify([ssid ?? null, gateway ?? null, domain ?? null, tunnel]);
  return createHmac('sha256', salt).update(fields).digest().toString('base64url', 0, 16);
}
