import { formatAddress, formatPrefix, parseAddress, parsePrefix } from './address.ts';

/** What a signal is about, in one spelling: a name (a host's or a service's), an address, or a prefix. */
export interface Anchor {
  kind: 'name' | 'address' | 'prefix';
  value: string;
  /** Of the target itself; 0 where none is named. */
  port: number;
  /** The signal's own target or prefix; false: known of it by data, such as the address that a service answers at. */
  isOwn: boolean;
  /** '' for none. Numbers that are used in many places mean what they say at one site only. */
  site: string;
}

export interface Anchored {
  kind?: string | undefined;
  target?: string | null | undefined;
  prefix?: string | null | undefined;
  site?: string | null | undefined;
  attributes: Readonly<Record<string, string>>;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };
/** What data say of a target: where it answers, and which service it is. */
const KNOWN_BY = ['server.address', 'network.peer.address', 'service.name'] as const;
const MAX_NAME = 253;
const MAX_KNOWN = 20;

/** A test that did not run says nothing of its target: what is about the same is what it runs on. */
const NOT_RUN = 'test.not_running';
/** No host is called so: a name has no blanks. */
const NOT_RUN_NAME = 'not run: ';

export const isOfTarget = ({ kind }: Pick<Anchored, 'kind'>): boolean => kind !== NOT_RUN;

interface Host {
  host: string;
  port: number;
}

/** Lower case, without the dot that ends a name, in the letters that DNS is asked for. */
function canonicalName(name: string): string {
  const bare = name.trim().toLowerCase().replace(/\.+$/, '');
  if (bare === '' || /^[a-z0-9._-]+$/.test(bare)) return bare;
  try {
    return new URL(`http://${bare}`).hostname;
  } catch {
    return bare;
  }
}

function splitUrl(text: string): Host | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  try {
    const { hostname, port, protocol } = new URL(text);
    return { host: hostname, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) };
  } catch {
    return undefined;
  }
}

/** Host and port of a URL, `host`, `host:port`, `[v6]:port` or a bare address; the path of a name without a scheme is left out. */
function splitTarget(text: string): Host {
  const url = splitUrl(text);
  if (url) return url;
  if (parseAddress(text)) return { host: text, port: 0 };
  const [, host, port] = /^(\[[^\]]+\]|[^:/?#]+)(?::(\d{1,5}))?(?:[/?#].*)?$/.exec(text.trim()) ?? [];
  return host === undefined ? { host: text, port: 0 } : { host, port: Number(port ?? 0) };
}

/** `orders.shop.svc.cluster.local` is the service orders. */
function serviceOfName(name: string): string | undefined {
  return /\.svc(\.|$)/.test(name) ? name.split('.')[0] : undefined;
}

function anchorsOfTarget(text: string, more: Pick<Anchor, 'isOwn' | 'site'>): Anchor[] {
  const { host, port } = splitTarget(text);
  const address = parseAddress(host);
  if (address) return [{ kind: 'address', value: formatAddress(address), port, ...more }];
  const value = canonicalName(host).slice(0, MAX_NAME);
  if (value === '') return [];
  const service = serviceOfName(value);
  const named: Anchor = { kind: 'name', value, port, ...more };
  return service === undefined ? [named] : [named, { kind: 'name', value: service, port: 0, ...more, isOwn: false }];
}

const keyOf = ({ kind, value, port, isOwn }: Anchor): string => `${kind} ${value} ${port} ${isOwn}`;

/** Where the reason lies: in a runner, there in what it can run of one type, or in the tenant; undefined: in the test alone. */
function placesOfSilence(attributes: Readonly<Record<string, string>>): readonly string[] | undefined {
  const { reason, 'test.type': type, 'runner.id': runners = '' } = attributes;
  const ids = runners.split(',').filter((id) => id !== '');
  if (reason === 'no_runner_connected' || reason === 'late') return ids;
  if (reason === 'runner_not_capable') return ids.map((id) => `${type} ${id}`);
  return reason === 'rate' ? [''] : undefined;
}

/** Tests that do not run for one reason of one runner are one event; one whose reason is its own stands for itself. */
function anchorsOfSilence(attributes: Readonly<Record<string, string>>): Anchor[] {
  const values = (placesOfSilence(attributes) ?? [`test ${attributes['test.id']}`])
    .slice(0, MAX_KNOWN)
    .map((place) => `${NOT_RUN_NAME}${attributes.reason} ${place}`.trim().slice(0, MAX_NAME));
  return values.map((value) => ({ kind: 'name', value, port: 0, isOwn: true, site: '' }));
}

export const isOfSilence = ({ value }: Anchor): boolean => value.startsWith(NOT_RUN_NAME);

/** All that a signal can be recognised by; its own target and prefix first. */
export function anchorsOf(signal: Anchored): Anchor[] {
  if (!isOfTarget(signal)) return anchorsOfSilence(signal.attributes);
  const { target, prefix, site, attributes } = signal;
  const place = site ?? '';
  const own = target ? anchorsOfTarget(target, { isOwn: true, site: place }) : [];
  const network = prefix ? parsePrefix(prefix) : undefined;
  if (network) own.push({ kind: 'prefix', value: formatPrefix(network), port: 0, isOwn: true, site: place });
  const known = KNOWN_BY.flatMap((key) =>
    (attributes[key] ?? '')
      .split(',')
      .filter((text) => text.trim() !== '')
      .slice(0, MAX_KNOWN)
      .flatMap((text) => anchorsOfTarget(text.trim(), { isOwn: false, site: place })),
  );
  const ownValues = new Set(own.map(({ kind, value }) => `${kind} ${value}`));
  const all = [...own, ...known.filter(({ kind, value }) => !ownValues.has(`${kind} ${value}`))];
  return [...new Map(all.map((anchor) => [keyOf(anchor), anchor])).values()];
}

/** The target as people read it: one spelling, with its port where that is not the one of the web. */
export function canonicalTarget(target: string): string {
  const { port } = splitTarget(target);
  const [own] = anchorsOfTarget(target, { isOwn: true, site: '' });
  if (!own) return target.slice(0, MAX_NAME);
  const host = own.value.includes(':') && port !== 0 ? `[${own.value}]` : own.value;
  return port === 0 || port === 80 || port === 443 ? own.value : `${host}:${port}`;
}
