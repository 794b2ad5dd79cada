import { siteOf } from '#kernel';
import type { ConnectionBounds } from './bounds.ts';
import type { Connection } from './connection.ts';
import { first, Groups } from './groups.ts';

const siteOfConnection = ({ network }: Connection): string | undefined => (network === undefined ? undefined : siteOf(network));

/**
 * Connections that have shown no credential yet, and which of them goes for a newcomer: of the site that holds more than the newcomer's, else of
 * all, the one idle longest, else one that is busy. Those of trusted proxies, behind which are many clients, go only where they are idle longest
 * of all. Sets are in the order in which their members fell idle or got busy.
 */
export class Strangers {
  private readonly handshakes = new Set<Connection>();
  private readonly idle = new Set<Connection>();
  private readonly busy = new Set<Connection>();
  private readonly networks = new Groups();
  private readonly sites = new Groups();
  private readonly bounds: ConnectionBounds;
  private readonly nowMs: () => number;

  constructor(bounds: ConnectionBounds, nowMs: () => number) {
    this.bounds = bounds;
    this.nowMs = nowMs;
  }

  add(connection: Connection): void {
    this.handshakes.add(connection);
    this.group(connection);
  }

  /** False where its handshake was over before. */
  secure(connection: Connection): boolean {
    return this.handshakes.delete(connection);
  }

  begin(connection: Connection): void {
    this.idle.delete(connection);
    this.busy.add(connection);
    this.regroup(connection);
  }

  rest(connection: Connection): void {
    this.busy.delete(connection);
    this.idle.add(connection);
    this.regroup(connection);
  }

  remove(connection: Connection): void {
    for (const set of [this.handshakes, this.idle, this.busy]) set.delete(connection);
    this.networks.delete(connection.network, connection);
    this.sites.delete(siteOfConnection(connection), connection);
  }

  counts = () => ({ handshake: this.handshakes.size, stranger: this.idle.size });

  /** The one that goes where the newcomer's address has more than its bound; may be the newcomer. Undefined within the bound. */
  findBeyondNetwork(newcomer: Connection): Connection | undefined {
    const neighbours = this.networks.of(newcomer.network);
    if (neighbours.size <= this.bounds.strangersPerNetwork) return undefined;
    return this.findIdleOf(neighbours, newcomer) ?? this.findLongBusy(neighbours) ?? newcomer;
  }

  /** The one that goes where there are too many; may be the newcomer. */
  findToGiveUp(newcomer: Connection): Connection {
    return this.findOfLargestSite(newcomer) ?? this.findOldestIdle(newcomer) ?? this.findLongBusy(this.busy) ?? newcomer;
  }

  /** Those whose handshake or first request is overdue. */
  findOverdue(): Connection[] {
    const overdue: Connection[] = [];
    const { handshakeMs, strangerMs } = this.bounds;
    for (const [set, limitMs] of [
      [this.handshakes, handshakeMs],
      [this.idle, strangerMs],
    ] as const) {
      const before = this.nowMs() - limitMs;
      for (const connection of set) {
        if (connection.idleSinceMs > before) break;
        overdue.push(connection);
      }
    }
    return overdue;
  }

  private group(connection: Connection): void {
    this.networks.add(connection.network, connection);
    this.sites.add(siteOfConnection(connection), connection);
  }

  private regroup(connection: Connection): void {
    this.networks.delete(connection.network, connection);
    this.sites.delete(siteOfConnection(connection), connection);
    this.group(connection);
  }

  /** However shortly it has been busy: else whoever holds the most could keep all others out. */
  private findOfLargestSite(newcomer: Connection): Connection | undefined {
    const site = siteOfConnection(newcomer);
    if (site === undefined) return undefined;
    const largest = this.sites.largest();
    if (largest.size <= this.sites.of(site).size) return undefined;
    return this.findIdleOf(largest, newcomer) ?? first(largest);
  }

  private findIdleOf(group: ReadonlySet<Connection>, newcomer: Connection): Connection | undefined {
    return first(group, (connection) => connection.busy === 0 && connection !== newcomer);
  }

  private findOldestIdle(newcomer: Connection): Connection | undefined {
    const handshake = first(this.handshakes, (connection) => connection !== newcomer);
    const idle = first(this.idle);
    if (!handshake || !idle) return handshake ?? idle;
    return handshake.idleSinceMs <= idle.idleSinceMs ? handshake : idle;
  }

  private findLongBusy(group: ReadonlySet<Connection>): Connection | undefined {
    const before = this.nowMs() - this.bounds.strangerBusyMs;
    const isLong = ({ busy, busySinceMs, network }: Connection) => busy > 0 && busySinceMs <= before && network !== undefined;
    return first(group, isLong);
  }
}
