import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionBounds } from './bounds.ts';
import { acceptConnection, type Connection } from './connection.ts';
import { Ledger } from './ledger.ts';

const BOUNDS: ConnectionBounds = {
  ...{
    total: 10,
    strangers: 4,
    strangersPerNetwork: 3,
    perTenant: 4,
    perClient: 2,
    handshakeMs: 100,
    strangerMs: 300,
    strangerBusyMs: 500,
    busyMs: 50,
  },
};

let now: number;
let ledger: Ledger;
beforeEach(() => {
  now = 0;
  ledger = new Ledger(BOUNDS, () => now);
});
/** The same with no limit of its own for a tenant: two can fill what known connections may take. */
const openLedger = (more: Partial<ConnectionBounds>): void => {
  ledger = new Ledger({ ...BOUNDS, perTenant: 100, ...more }, () => now);
};

const add = (network: string | undefined): { connection: Connection; victim: Connection | undefined } => {
  now += 1;
  const connection = acceptConnection(new Socket(), network);
  const victim = ledger.add(connection);
  if (victim) ledger.remove(victim);
  return { connection, victim };
};
/** One that has shown a credential of this tenant, and is idle. */
const admit = (tenant: string, { client, busy = false }: { client?: string; busy?: boolean } = {}) => {
  const { connection } = add(undefined);
  ledger.secure(connection);
  ledger.begin(connection);
  const victims = ledger.know(connection, tenant, client);
  for (const victim of victims) ledger.remove(victim);
  now += 1;
  const leaves = !busy && ledger.end(connection);
  return { connection, victims, leaves };
};

describe('of connections without a credential', () => {
  it('the oldest of the same network goes first', () => {
    const [first] = [add('a').connection, add('b'), add('a'), add('a')];
    expect(add('a').victim).toBe(first);
  });

  it('the one idle longest of all goes when there are too many together, within its handshake or not', () => {
    const first = add('a').connection;
    const second = add('b').connection;
    ledger.secure(first);
    now += 1;
    add('c');
    add('d');
    expect(add('e').victim).toBe(second);
  });

  it('none with a request under way goes', () => {
    const busy = add('a').connection;
    ledger.secure(busy);
    ledger.begin(busy);
    const [second] = [add('a').connection, add('a')];
    expect(add('a').victim).toBe(second);
    ledger.end(busy);
    add('a');
    expect(ledger.counts().stranger).toBe(1);
  });

  it('a newcomer goes where all others of its network have a request under way', () => {
    for (let i = 0; i < 3; i += 1) {
      const { connection } = add('a');
      ledger.secure(connection);
      ledger.begin(connection);
    }
    const { connection, victim } = add('a');
    expect(victim).toBe(connection);
    expect(add('b').victim).toBeUndefined();
  });

  const addBusy = (network: string): Connection => {
    const { connection } = add(network);
    ledger.secure(connection);
    ledger.begin(connection);
    return connection;
  };

  it('the longest busy of its address goes for a newcomer once that has lasted', () => {
    const [first] = [addBusy('a'), addBusy('a'), addBusy('a')];
    now += BOUNDS.strangerBusyMs;
    expect(add('a').victim).toBe(first);
  });

  it('the site that holds most gives one up, at once and busy or not, for one that holds less', () => {
    const [, first] = [addBusy('192.0.2.1'), addBusy('198.51.100.1'), addBusy('198.51.100.2'), addBusy('198.51.100.3')];
    expect(add('192.0.2.9').victim).toBe(first);
    const idle = add('198.51.100.4').victim;
    expect([idle?.network, ledger.counts().busy]).toEqual(['192.0.2.9', 3]);
  });

  it('an IPv6 site is a /48', () => {
    const [first] = [addBusy('2001:db8:1:1::/64'), addBusy('2001:db8:1:2::/64'), addBusy('192.0.2.1'), addBusy('192.0.3.1')];
    expect(add('2001:db8:2:1::/64').victim).toBe(first);
  });

  it('one address after the other of the same site takes nothing from others', () => {
    const quiet = addBusy('192.0.2.1');
    for (let i = 1; i <= 50; i += 1) addBusy(`198.51.100.${i}`);
    for (let i = 1; i <= 50; i += 1) addBusy(`198.51.100.${i}`);
    expect(ledger.everyone()).toContain(quiet);
    expect(add('203.0.113.1').victim?.network).toMatch(/^198/);
  });

  it('the longest busy of all goes where no site holds more, once that has lasted; never one of a trusted proxy', () => {
    const { connection: proxied } = add(undefined);
    ledger.secure(proxied);
    ledger.begin(proxied);
    const first = addBusy('a');
    addBusy('b');
    addBusy('c');
    const { connection, victim } = add('d');
    expect(victim).toBe(connection);
    now += BOUNDS.strangerBusyMs;
    expect(add('d').victim).toBe(first);
  });

  it('those overdue are found, by the time since they were accepted or last idle', () => {
    const { connection: mute } = add('a');
    const { connection: secured } = add('b');
    ledger.secure(secured);
    now += 150;
    expect(ledger.findOverdue()).toEqual([mute]);
    now += 200;
    expect(ledger.findOverdue()).toEqual([mute, secured]);
  });
});

describe('of connections with a credential', () => {
  it('a tenant has its share, and its own idle longest goes', () => {
    const first = admit('acme').connection;
    const others = [admit('acme'), admit('acme'), admit('acme')];
    expect(others.flatMap(({ victims }) => victims)).toEqual([]);
    expect(admit('acme').victims).toEqual([first]);
    expect(admit('other').victims).toEqual([]);
  });

  it('one beyond its share goes after its request where all others of the tenant are busy', () => {
    for (let i = 0; i < 4; i += 1) admit('acme', { busy: true });
    const late = admit('acme');
    expect([late.victims, late.leaves]).toEqual([[], true]);
  });

  it('strangers keep their room: the one idle longest of all makes it', () => {
    const first = admit('a').connection;
    for (const tenant of ['b', 'c', 'd', 'e', 'f']) expect(admit(tenant).victims).toEqual([]);
    expect(admit('g').victims).toEqual([first]);
    expect([add('x'), add('y'), add('z')].map(({ victim }) => victim)).toEqual([undefined, undefined, undefined]);
  });

  it('a client that comes again replaces its own oldest, busy or not', () => {
    const first = admit('acme', { client: 'laptop', busy: true }).connection;
    admit('acme', { client: 'laptop', busy: true });
    admit('acme', { client: 'phone', busy: true });
    expect(admit('acme', { client: 'laptop', busy: true }).victims).toEqual([first]);
  });

  it('counts match whatever became of them', () => {
    const all = [admit('a').connection, admit('a', { busy: true }).connection, add('x').connection];
    expect(ledger.counts()).toEqual({ handshake: 1, stranger: 0, idle: 1, busy: 1 });
    for (const connection of all) ledger.remove(connection);
    for (const connection of all) ledger.remove(connection);
    expect(ledger.counts()).toEqual({ handshake: 0, stranger: 0, idle: 0, busy: 0 });
  });
});

describe('where known connections take all that they may', () => {
  const fill = (tenants: readonly string[]) => tenants.map((tenant) => admit(tenant, { busy: true }).connection);

  it('the tenant that holds most gives up its oldest idle one for a tenant that holds less', () => {
    openLedger({});
    const idle = [admit('quiet'), admit('greedy'), admit('greedy')];
    fill(['greedy', 'greedy', 'greedy']);
    expect(admit('newcomer', { busy: true }).victims).toEqual([idle[1]?.connection]);
    expect(admit('newcomer', { busy: true }).victims).toEqual([idle[2]?.connection]);
  });

  it('streams, which last: it gives up its oldest busy one at once, and gets none back', () => {
    openLedger({ total: 20, strangers: 14, busyMs: 0 });
    const [first, , second] = fill(['a', 'b', 'a', 'a', 'b', 'a']);
    expect(admit('c', { busy: true }).victims).toEqual([first]);
    expect(admit('c', { busy: true }).victims).toEqual([second]);
    const again = admit('a', { busy: true });
    expect([again.victims, again.connection.leaves]).toEqual([[], true]);
  });

  it('requests, which are short: it gives up one that has been under way for long, and until then newcomers use a reserve', () => {
    openLedger({ total: 20, strangers: 14 });
    const [first] = fill(['a', 'b', 'a', 'b', 'a', 'a']);
    const reserved = [1, 2, 3].map(() => admit('c', { busy: true }));
    expect(reserved.flatMap(({ victims }) => victims)).toEqual([]);
    expect(reserved.some(({ connection }) => connection.leaves)).toBe(false);
    now += BOUNDS.busyMs;
    expect(admit('d', { busy: true }).victims).toEqual([first]);
  });

  it('newcomers beyond the reserve are closed, and those of the tenant that holds most before them', () => {
    openLedger({ total: 20, strangers: 14, busyMs: 10_000 });
    fill(['a', 'b', 'a', 'b', 'a', 'a']);
    const served = admit('a', { busy: true });
    expect([served.victims, served.connection.leaves]).toEqual([[], true]);
    const refused = admit('a', { busy: true });
    expect(refused.victims).toEqual([refused.connection]);
    expect(admit('c', { busy: true }).victims).toEqual([]);
    expect(admit('d', { busy: true }).victims).toEqual([]);
    const late = admit('c', { busy: true });
    expect(late.victims).toEqual([late.connection]);
  });

  it('what is taken beyond it comes free as the requests of the tenant that holds most end', () => {
    openLedger({ total: 20, strangers: 14 });
    const [first, other] = fill(['a', 'b', 'a', 'b', 'a', 'a']);
    admit('c', { busy: true });
    expect(other && ledger.end(other)).toBe(false);
    expect(first && ledger.end(first)).toBe(true);
  });

  it('busy ones of trusted proxies, which are of many tenants, stay', () => {
    openLedger({ busyMs: 0 });
    for (let i = 0; i < 6; i += 1) {
      const { connection } = add(undefined);
      ledger.secure(connection);
      ledger.begin(connection);
      expect(ledger.know(connection, undefined, undefined)).toEqual([]);
    }
    expect(admit('acme', { busy: true }).victims).toEqual([]);
  });
});

it('a tenant whose requests all last keeps strangers their room', () => {
  for (let i = 0; i < 50; i += 1) admit('acme', { busy: true });
  expect(ledger.counts().busy).toBeLessThanOrEqual(BOUNDS.total - BOUNDS.strangers);
  expect([add('x'), add('y'), add('z')].map(({ victim }) => victim)).toEqual([undefined, undefined, undefined]);
});
