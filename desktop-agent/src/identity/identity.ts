/** Who this device is, as the server issued it. The key never leaves the device and is kept beside it. */
export interface Identity {
  /** The control plane's address for enrolling and renewing, `https://host:port`. */
  server: string;
  /** base64url SHA-256 of the SubjectPublicKeyInfo of the CA that signs the server's certificate; absent: the system's roots decide. */
  pin?: string;
  agentId: string;
  tenantId: string;
  /** PEM: leaf, then the tenant's intermediate. */
  chain: string;
  /** What proves the gRPC listener's certificate: the one authority in `grpcCa`, or the roots of this device, as for any web page. */
  grpcTrust: 'authority' | 'system';
  /** PEM of that authority; empty with `system`. */
  grpcCa: string;
  /** host:port */
  grpcAddr: string;
  /** RFC 3339. */
  notAfter: string;
  ring: 'canary' | 'early' | 'main';
}

export interface Credentials {
  identity: Identity;
  /** PKCS#8 PEM, P-256. */
  keyPem: string;
}

/** The leaf is renewed once less than this share of a day is left: two thirds of its life have passed. */
const RENEW_BEFORE_MS = 8 * 3_600_000;

export const needsRenewal = (identity: Identity, nowMs: number): boolean =>
  Date.parse(identity.notAfter) - nowMs < RENEW_BEFORE_MS;

/** Where a session finds the control plane; one that the token's pin names is proved by its own CA and no other. */
export function controlPlaneOf({ server, pin, grpcTrust, grpcCa }: Identity): { url: string; authority?: string } {
  const url = `${server}/healthz`;
  return pin === undefined || grpcTrust === 'system' ? { url } : { url, authority: grpcCa };
}
