import { readFileSync } from 'node:fs';
import { AppError } from '#kernel';

/** What one listener holds at most. A stranger is a connection that has shown no valid credential yet; one within its handshake is one too. */
export interface ConnectionBounds {
  total: number;
  strangers: number;
  /** Strangers of one address (IPv6: of one /64); none for trusted proxies. */
  strangersPerNetwork: number;
  /** Connections whose last valid credential is one tenant's. */
  perTenant: number;
  /** Of one client within its tenant, where the listener knows it: an agent. */
  perClient: number;
  /** From the accepted connection to the end of its TLS handshake, milliseconds. */
  handshakeMs: number;
  /** A stranger without a request under way, milliseconds. */
  strangerMs: number;
  /** A stranger that has been busy for longer may be closed for another, milliseconds. */
  strangerBusyMs: number;
  /** A connection that has been busy for longer may be closed for a tenant that holds fewer, milliseconds. */
  busyMs: number;
}

export interface ConnectionPlan {
  https: ConnectionBounds;
  agents: ConnectionBounds;
  /** Of each of the two OTLP listeners. */
  otlp: ConnectionBounds;
  /** Descriptors that this process may open, and those left for stores, bus and files; undefined where the system has no limit. */
  descriptors: { limit: number; reserved: number } | undefined;
}

const TIMES = { handshakeMs: 10_000, strangerMs: 30_000, strangerBusyMs: 30_000, busyMs: 10_000 };

export const HTTPS_BOUNDS: ConnectionBounds = {
  ...{ total: 4000, strangers: 1000, strangersPerNetwork: 250, perTenant: 1500, perClient: 1500 },
  ...TIMES,
  // Longer than a request may take to arrive, so that a late one is answered.
  strangerMs: 45_000,
};
// An office behind one address reconnects as a whole after a restart. One agent has one connection; a second is its next, after a change of networks.
export const AGENT_BOUNDS: ConnectionBounds = {
  ...{ total: 20_000, strangers: 4000, strangersPerNetwork: 2000, perTenant: 14_000, perClient: 3 },
  ...TIMES,
  // Streams last for hours; what is not acknowledged is sent again.
  busyMs: 0,
};
export const OTLP_BOUNDS: ConnectionBounds = {
  ...{ total: 10_000, strangers: 1000, strangersPerNetwork: 250, perTenant: 5000, perClient: 5000 },
  ...TIMES,
};

/** The least with which stores, bus and some of everything work. */
const LEAST_DESCRIPTORS = 1024;
const MOST_RESERVED = 8192;
const WANTED = HTTPS_BOUNDS.total + AGENT_BOUNDS.total + 2 * OTLP_BOUNDS.total;

/** Descriptors this process may have open at once; undefined where there is no such limit, or none that can be read. */
export function readDescriptorLimit(): number | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? undefined : Number(soft);
  } catch {
    // No /proc: macOS. The report looks names up unless it is kept from the network.
    const report = process.report as typeof process.report & { excludeNetwork?: boolean };
    report.excludeNetwork = true;
    const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
    const soft = Number(userLimits?.open_files?.soft);
    return Number.isFinite(soft) ? soft : undefined;
  }
}

function scale(bounds: ConnectionBounds, factor: number): ConnectionBounds {
  const less = (count: number): number => Math.max(8, Math.floor(count * factor));
  return {
    ...bounds,
    total: less(bounds.total),
    strangers: less(bounds.strangers),
    strangersPerNetwork: Math.min(bounds.strangersPerNetwork, Math.max(8, Math.floor(less(bounds.strangers) / 2))),
    perTenant: less(bounds.perTenant),
  };
}

/**
 * The bounds of all listeners, scaled down so that a quarter of the descriptors (8,192 at most) is left for stores, bus and files.
 * AppError `validation` where the limit is too small to work with.
 */
export function planConnections(limit: number | undefined = readDescriptorLimit()): ConnectionPlan {
  if (limit === undefined) return { https: HTTPS_BOUNDS, agents: AGENT_BOUNDS, otlp: OTLP_BOUNDS, descriptors: undefined };
  if (limit < LEAST_DESCRIPTORS) {
    const least = `at least ${LEAST_DESCRIPTORS} are needed, 65,536 recommended`;
    throw new AppError('validation', `This process may open only ${limit} files; ${least} (ulimit -n, LimitNOFILE=).`);
  }
  const reserved = Math.min(MOST_RESERVED, Math.floor(limit / 4));
  const factor = Math.min(1, (limit - reserved) / WANTED);
  return {
    https: scale(HTTPS_BOUNDS, factor),
    agents: scale(AGENT_BOUNDS, factor),
    otlp: scale(OTLP_BOUNDS, factor),
    descriptors: { limit, reserved },
  };
}
