import type { ConnectionBounds } from './bounds.ts';
import type { Connection } from './connection.ts';
import { first, Groups } from './groups.ts';
import { Strangers } from './strangers.ts';

/** What is behind trusted proxies is of many tenants, and counts as one more. */
const PROXIED = '';
const keyOf = ({ tenant }: Connection): string => tenant ?? PROXIED;
/** Part of the strangers' room for tenants that hold less than another while that one has only short requests under way. */
const RESERVE = 0.25;

/**
 * Which connections a listener has, and which of them goes when there are too many: of strangers see Strangers, of a tenant its own
 * idle longest. Where known connections take all that they may, the tenant that holds most gives one up for a tenant that holds less: its own
 * idle longest, else the one that has been busy for longest and for long. Sets are in the order in which their members fell idle or got busy.
 */
export class Ledger {
  private readonly strangers: Strangers;
  private readonly idleKnown = new Set<Connection>();
  private readonly idleOf = new Groups();
  private readonly busyOf = new Groups();
  private readonly clientsOf = new Groups();
  private readonly all = new Set<Connection>();
  private readonly knownOf = new Map<string, number>();
  private known = 0;
  private readonly bounds: ConnectionBounds;
  private readonly nowMs: () => number;

  constructor(bounds: ConnectionBounds, nowMs: () => number) {
    this.bounds = bounds;
    this.nowMs = nowMs;
    this.strangers = new Strangers(bounds, nowMs);
  }

  /** A connection was accepted; gives the one that has to go for it, which may be itself. */
  add(connection: Connection): Connection | undefined {
    connection.idleSinceMs = this.nowMs();
    this.all.add(connection);
    this.strangers.add(connection);
    const neighbour = this.strangers.findBeyondNetwork(connection);
    if (neighbour) return neighbour;
    const { total, strangers } = this.bounds;
    const areTooMany = this.all.size - this.known > strangers || this.all.size > total;
    return areTooMany ? this.strangers.findToGiveUp(connection) : undefined;
  }

  /** Its handshake is over. */
  secure(connection: Connection): void {
    if (!this.strangers.secure(connection)) return;
    connection.state = 'stranger';
    this.rest(connection);
  }

  begin(connection: Connection): void {
    connection.busy += 1;
    if (connection.busy > 1 || !this.all.has(connection)) return;
    connection.busySinceMs = this.nowMs();
    if (connection.state === 'known') {
      this.idleKnown.delete(connection);
      this.idleOf.delete(keyOf(connection), connection);
      this.busyOf.add(keyOf(connection), connection);
    } else this.strangers.begin(connection);
  }

  /** True when it has to go now that it is idle. */
  end(connection: Connection): boolean {
    connection.busy -= 1;
    if (connection.busy > 0 || !this.all.has(connection)) return false;
    this.busyOf.delete(keyOf(connection), connection);
    if (connection.leaves || this.isBeyondShare(connection)) return true;
    this.rest(connection);
    return false;
  }

  /** Its credential is this tenant's. Gives the ones that have to go; where nobody can, it is the one that leaves once it is idle. */
  know(connection: Connection, tenant: string | undefined, client: string | undefined): readonly Connection[] {
    if (!this.all.has(connection)) return [];
    this.forgetPlace(connection);
    connection.state = 'known';
    connection.tenant = tenant;
    connection.client = client === undefined ? undefined : `${tenant}/${client}`;
    connection.leaves = false;
    this.known += 1;
    this.knownOf.set(keyOf(connection), this.countOf(connection) + 1);
    this.clientsOf.add(connection.client, connection);
    if (connection.busy === 0) this.rest(connection);
    else this.busyOf.add(keyOf(connection), connection);
    const { perTenant, perClient } = this.bounds;
    const own = this.clientsOf.of(connection.client);
    // Its own older connection, busy or not: a client that comes again has left that one.
    if (own.size > perClient) return [...own].slice(0, 1);
    if (tenant !== undefined && this.countOf(connection) > perTenant) {
      const victim = this.findOther(this.idleOf.of(tenant), connection);
      return victim ? [victim] : this.refuse(connection);
    }
    // Strangers keep their room, or nobody new would get in.
    return this.known > this.places ? this.makeRoom(connection) : [];
  }

  remove(connection: Connection): void {
    if (!this.all.delete(connection)) return;
    this.forgetPlace(connection);
  }

  /** Those whose handshake or first request is overdue. */
  findOverdue = (): Connection[] => this.strangers.findOverdue();

  everyone = (): Connection[] => [...this.all];

  counts() {
    const { handshake, stranger } = this.strangers.counts();
    const idle = this.idleKnown.size;
    return { handshake, stranger, idle, busy: this.all.size - handshake - stranger - idle };
  }

  private get places(): number {
    return this.bounds.total - this.bounds.strangers;
  }

  private countOf(connection: Connection): number {
    return this.knownOf.get(keyOf(connection)) ?? 0;
  }

  /** Gives the one that goes for this known connection, whose tenant may hold most itself. */
  private makeRoom(connection: Connection): readonly Connection[] {
    const own = this.countOf(connection);
    let [holder, most] = ['', own];
    for (const [key, count] of this.knownOf) if (count > most) [holder, most] = [key, count];
    const isPoorer = most > own;
    const victim = isPoorer ? this.findToGiveUp(holder) : this.findIdleOfEqual(connection, own);
    if (victim) return [victim];
    const { strangers } = this.bounds;
    return isPoorer && this.known <= this.places + Math.floor(strangers * RESERVE) ? [] : this.refuse(connection);
  }

  /** It goes after its request; at once where even those would take the strangers' room. */
  private refuse(connection: Connection): readonly Connection[] {
    connection.leaves = true;
    return this.known > this.places + (this.bounds.strangers * RESERVE) / 2 ? [connection] : [];
  }

  private findToGiveUp(tenant: string): Connection | undefined {
    const idle = first(this.idleOf.of(tenant));
    if (idle || tenant === PROXIED) return idle;
    const busy = first(this.busyOf.of(tenant));
    return busy && busy.busySinceMs <= this.nowMs() - this.bounds.busyMs ? busy : undefined;
  }

  /** Its tenant's own idle longest, else that of the tenants that hold as many. */
  private findIdleOfEqual(connection: Connection, count: number): Connection | undefined {
    const own = keyOf(connection);
    let found = this.findOther(this.idleOf.of(own), connection);
    if (found) return found;
    for (const [key, its] of this.knownOf) {
      const idle = its === count && key !== own ? first(this.idleOf.of(key)) : undefined;
      if (idle && (!found || idle.idleSinceMs < found.idleSinceMs)) found = idle;
    }
    return found;
  }

  /** Newcomers took of the strangers' room because its tenant holds so much. */
  private isBeyondShare(connection: Connection): boolean {
    if (connection.state !== 'known' || this.known <= this.places) return false;
    return this.countOf(connection) > this.places / this.knownOf.size;
  }

  private rest(connection: Connection): void {
    connection.idleSinceMs = this.nowMs();
    if (connection.state === 'known') {
      this.idleKnown.add(connection);
      this.idleOf.add(keyOf(connection), connection);
    } else this.strangers.rest(connection);
  }

  private forgetPlace(connection: Connection): void {
    const { state, client } = connection;
    this.strangers.remove(connection);
    this.idleKnown.delete(connection);
    this.idleOf.delete(keyOf(connection), connection);
    this.busyOf.delete(keyOf(connection), connection);
    this.clientsOf.delete(client, connection);
    if (state !== 'known') return;
    this.known -= 1;
    const left = this.countOf(connection) - 1;
    if (left > 0) this.knownOf.set(keyOf(connection), left);
    else this.knownOf.delete(keyOf(connection));
  }

  private findOther(group: ReadonlySet<Connection>, than: Connection): Connection | undefined {
    for (const connection of group) if (connection !== than) return connection;
    return undefined;
  }
}
