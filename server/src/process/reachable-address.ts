import { networkInterfaces } from 'node:os';
import type { HostPort } from '#kernel';
import type { Config } from '../config.ts';

export interface ReachableAddress {
  /** Origin that another device can enrol at. */
  serverUrl: string;
  grpcAddr: HostPort;
  /** False while both name only this very machine. */
  isReachable: boolean;
}

const LOOPBACK = /^(localhost|127\.|\[?::1\]?$)/;
const ANY = /^(0\.0\.0\.0|\[?::\]?)$/;

/** An address of this host that another one can reach: the first that is not loopback, IPv4 before IPv6. */
function findOwnAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = all.filter((one) => !one.internal && !one.address.startsWith('fe80'));
  const chosen = outside.find((one) => one.family === 'IPv4') ?? outside[0];
  if (!chosen) return undefined;
  return chosen.family === 'IPv6' ? `[${chosen.address}]` : chosen.address;
}

/**
 * Host at which senders reach a listener that is open to the network: the public one, else an address of this host. What the console
 * itself listens at says nothing of it: that may be loopback where the receiver is open.
 */
export function findSenderHost({ server, publicUrl }: Pick<Config, 'server' | 'publicUrl'>): string {
  if (server.publicUrl) return new URL(server.publicUrl).hostname;
  return findOwnAddress() ?? new URL(publicUrl).hostname;
}

/** Where agents on other devices reach this server, which the printed command names (docs/contract/tenants-and-agents.md). */
export function findReachableAddress({ server, publicUrl }: Pick<Config, 'server' | 'publicUrl'>): ReachableAddress {
  const { listenAddr, agentGrpcAddr, agentPublicAddr } = server;
  const own = ANY.test(listenAddr.host) ? findOwnAddress() : undefined;
  const serverUrl = server.publicUrl ?? (own ? `https://${own}:${listenAddr.port}` : publicUrl);
  const host = new URL(serverUrl).hostname;
  const grpcAddr = agentPublicAddr ?? { host, port: agentGrpcAddr.port };
  return { serverUrl, grpcAddr, isReachable: !LOOPBACK.test(host) };
}
