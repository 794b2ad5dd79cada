import net from 'node:net';
import os from 'node:os';
import { formsOf } from './disguised-addresses.ts';

/** How long what the interfaces say is believed. */
const OWN_ADDRESSES_MS = 5000;

/** Where clouds tell a machine its own credentials, beside the link-local 169.254/16. */
const METADATA = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'];
const METADATA_6 = ['fd00:ec2::/32', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'];

const WORDS = {
  metadata: 'is where a cloud tells its machines their credentials',
  unspecified: 'stands for no host, which this machine takes for itself',
  loopback: 'is the loopback of the machine that runs the test',
  link_local: 'is link-local',
  multicast: 'is a multicast or broadcast address',
  own: 'is an address of the machine that runs the test',
  forbidden: 'belongs to a part of this service',
} as const;
export type RefusalReason = keyof typeof WORDS;

export interface Refusal {
  readonly reason: RefusalReason;
  /** For a person; says what to do. */
  readonly message: string;
}

export interface TargetGuardOptions {
  /** CIDRs, addresses and host names that may be reached although they are refused by default; those of the machine itself. */
  readonly allow?: readonly string[];
  /** Addresses and CIDRs that may not be reached beside the usual ones; a function where they change. */
  readonly forbidden?: readonly string[] | (() => readonly string[]);
  /** Host names that lead to none of their addresses, whatever these are. */
  readonly forbiddenNames?: readonly string[];
  /** Of this machine's interfaces; a parameter for tests. */
  readonly ownAddresses?: () => readonly string[];
}

/** Decides about an address that is about to be dialled, and never by a name alone. Private networks are no reason to refuse. */
export interface TargetGuard {
  /** Why it may not be dialled; undefined: it may. `host` is the name that led there: one that is allowed allows its addresses. */
  readonly refuse: (address: string, host?: string) => Refusal | undefined;
}

type Check = (address: string) => boolean;

/** Throws a RangeError on an entry that is neither address nor CIDR. */
function blockList(entries: readonly string[]): Check {
  const list = new net.BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = net.isIP(address);
    const widest = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === 0 || !(prefix >= 0 && prefix <= widest)) throw new RangeError(`not an address or CIDR: ${entry.slice(0, 64)}`);
    list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => list.check(address, net.isIPv6(address) ? 'ipv6' : 'ipv4');
}

const USUAL: readonly (readonly [RefusalReason, Check])[] = [
  ['metadata', blockList([...METADATA, ...METADATA_6])],
  ['unspecified', blockList(['0.0.0.0/8', '::'])],
  ['loopback', blockList(['127.0.0.0/8', '::1'])],
  ['link_local', blockList(['169.254.0.0/16', 'fe80::/10'])],
  ['multicast', blockList(['224.0.0.0/4', '255.255.255.255', 'ff00::/8'])],
];

const bareName = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
const isName = (entry: string): boolean => net.isIP(entry.split('/')[0] ?? '') === 0;

const interfaceAddresses = (): string[] =>
  Object.values(os.networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));

/** Reads at most once in a while; `read` may be costly. */
function kept<Value>(read: () => Value, forMs: number): () => Value {
  let value: { at: number; of: Value } | undefined;
  return () => {
    const now = performance.now();
    if (!value || now - value.at > forMs) value = { at: now, of: read() };
    return value.of;
  };
}

const canonical = (addresses: readonly string[]): ReadonlySet<string> =>
  new Set(addresses.flatMap((address) => (net.isIP(address) === 0 ? [] : (formsOf(address)[0] ?? []))));

/** Throws a RangeError on an entry that is neither address, CIDR nor host name. */
export function createTargetGuard(options: TargetGuardOptions): TargetGuard {
  const { allow = [], forbidden = [], forbiddenNames = [], ownAddresses = interfaceAddresses } = options;
  const noNames = new Set(forbiddenNames.map(bareName));
  const names = new Set(allow.filter(isName).map(bareName));
  for (const name of names)
    if (!/^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/.test(name)) throw new RangeError(`not a host name: ${name.slice(0, 64)}`);
  const isAllowed = blockList(allow.filter((entry) => !isName(entry)));
  const own = kept(() => canonical(ownAddresses()), OWN_ADDRESSES_MS);
  const changing = typeof forbidden === 'function' ? kept(() => blockList(forbidden()), OWN_ADDRESSES_MS) : undefined;
  const fixed = typeof forbidden === 'function' ? undefined : blockList(forbidden);
  const isForbidden = (address: string): boolean => (changing ? changing()(address) : (fixed?.(address) ?? false));

  const reasonFor = (address: string, host: string | undefined): RefusalReason | undefined => {
    const usual = USUAL.find(([, check]) => check(address))?.[0];
    if (usual) return usual;
    if (own().has(address)) return 'own';
    return isForbidden(address) || (host !== undefined && noNames.has(bareName(host))) ? 'forbidden' : undefined;
  };
  return {
    refuse(address, host) {
      if (host !== undefined && names.has(bareName(host))) return undefined;
      const forms = formsOf(address);
      const [shown = address] = forms;
      for (const form of forms) {
        const reason = reasonFor(form, host);
        // What is allowed is the address as it is written, or the one that it hides.
        if (!reason || isAllowed(shown) || isAllowed(form)) continue;
        const which = form === shown ? shown : `${shown}, which leads to ${form},`;
        const message = `${which} ${WORDS[reason]}, and this machine's tests may not reach it (SVC_TARGETS_ALLOW of the machine allows it).`;
        return { reason, message };
      }
      return undefined;
    },
  };
}
