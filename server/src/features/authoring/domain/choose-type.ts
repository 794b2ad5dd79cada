import { type TestType, WEB_TYPES } from '@svc/contracts/tests/test-types';
import type { Details } from './details.ts';
import type { NamedItem } from './known.ts';
import { bracketed, type Target } from './read-target.ts';
import type { Part } from './split-tests.ts';
import { SERVICES, type Service } from './words/services.ts';

/** What kind of test is meant for a subject, or which kinds could be. */

export interface Kind {
  type: TestType;
  target: string;
  /** Why it is this type, where nobody said so. */
  why?: string;
  /** Why it is this target, where it was not typed. */
  whyTarget?: string;
  security?: Service['security'] | 'tls';
  record?: Details['records'][number];
}

export type Decision = { kinds: Kind[] } | { choices: Kind[]; question: string } | { unclear: string };

export interface Saying {
  subject: NamedItem;
  items: readonly Part[];
  /** Every tag of the segment. */
  said: ReadonlySet<string>;
  details: Details;
}

const TLS_WEB_PORTS: ReadonlySet<number> = new Set([443, 8443]);
const CLEAR_WEB_PORTS: ReadonlySet<number> = new Set([80, 8080]);

export function urlOf(target: Target, scheme?: 'http' | 'https'): string {
  if (target.url !== undefined) return target.url;
  const { host, port, path } = target;
  const own = scheme ?? (port !== undefined && CLEAR_WEB_PORTS.has(port) ? 'http' : 'https');
  const usual = own === 'https' ? 443 : 80;
  return `${own}://${bracketed(host)}${port === undefined || port === usual ? '' : `:${port}`}${path === '' ? '/' : path}`;
}

const at = ({ host }: Target, port: number): string => `${bracketed(host)}:${port}`;
const one = (kind: Kind): Decision => ({ kinds: [kind] });

const hasWebDetails = ({
  statuses,
  refusedStatuses,
  contains,
  notContains,
  sent,
  headers,
  json,
  method,
  keepsRedirect,
  bounds,
}: Details): boolean =>
  [statuses, refusedStatuses, contains, notContains, sent, headers, json].some((list) => list.length > 0) ||
  method !== undefined ||
  keepsRedirect === true ||
  bounds.first_byte !== undefined;

function isDns({ said, details, items }: Saying): boolean {
  if (details.records.length > 0 || details.isAbsent || said.has('dnssec') || items.some(({ role }) => role === 'answer'))
    return true;
  return said.has('resolve') && details.bounds.dns === undefined;
}

function dnsKinds({ details, subject }: Saying, target: Target): Decision {
  const whyTarget = subject.kind === 'place' ? { whyTarget: `“${subject.text}” is at ${target.host}.` } : {};
  const why = details.records.length > 0 ? {} : { why: 'Names are asked of DNS.' };
  const records = details.records.length > 0 ? details.records : [undefined];
  return {
    kinds: records.map((record) => ({ type: 'dns', target: target.host, ...why, ...whyTarget, ...(record ? { record } : {}) })),
  };
}

function serviceOf({ items }: Saying): { name: string; service: Service } | undefined {
  for (const item of items)
    for (const tag of item.tags) {
      const name = tag.startsWith('service:') ? tag.slice('service:'.length) : undefined;
      const service = name === undefined ? undefined : SERVICES[name];
      if (name !== undefined && service) return { name, service };
    }
  return undefined;
}

function choicesOf(target: Target, question?: string): Decision {
  const { host } = target;
  const named: Kind[] =
    target.kind === 'host' || target.kind === 'url' ? [{ type: 'https', target: urlOf(target, 'https') }] : [];
  const question2 = question ?? `What of ${host} shall be tested: ${named.length > 0 ? 'the website, ' : ''}ping or TCP 443?`;
  return {
    choices: [{ type: 'icmp', target: host }, { type: 'tcp', target: at(target, target.port ?? 443) }, ...named],
    question: question2,
  };
}

function ofUrl(saying: Saying, target: Target): Decision {
  const { said, details } = saying;
  const web = { type: target.scheme === 'http' ? 'http' : 'https', target: urlOf(target) } as const;
  if (said.has('browser')) return one({ ...web, type: 'browser' });
  if (isDns(saying)) return dnsKinds(saying, target);
  if (details.ports.length > 0 && !hasWebDetails(details))
    return { kinds: details.ports.map(({ port, protocol = 'tcp' }) => ({ type: protocol, target: at(target, port) })) };
  if (said.has('ping') && !hasWebDetails(details) && details.certificateDays === undefined) {
    const question = `Shall ${target.host} be pinged, or its web address be asked?`;
    return { choices: [{ type: 'icmp', target: target.host }, web], question };
  }
  return one(web);
}

/** Those whose packets are counted. */
const isOfPackets = ({ said, details }: Saying): boolean =>
  details.lossRatio !== undefined ||
  details.packets !== undefined ||
  details.bounds.jitter !== undefined ||
  details.bounds.trip !== undefined ||
  said.has('jitter') ||
  said.has('loss');

function portKinds(saying: Saying, target: Target): Decision | undefined {
  const { details, said } = saying;
  const found = serviceOf(saying);
  const isUdp = said.has('udp');
  const ports = details.ports.length > 0 ? details.ports : target.port === undefined ? [] : [{ port: target.port }];
  const isCertificate = said.has('certificate') || details.certificateDays !== undefined;
  if (ports.length === 0 && !found) {
    if (isUdp) return { unclear: `Which UDP port of ${target.host}?` };
    return said.has('tcp') || said.has('port') ? { unclear: `Which TCP port of ${target.host}?` } : undefined;
  }
  const security = said.has('starttls')
    ? 'smtp'
    : (found?.service.security ?? (isCertificate || said.has('handshake') ? 'tls' : undefined));
  if (ports.length === 0 && found)
    return one({
      type: found.service.protocol,
      target: at(target, found.service.port),
      why: `${found.name.toUpperCase()} listens on ${found.service.protocol.toUpperCase()} ${found.service.port}.`,
      ...(security ? { security } : {}),
    });
  return {
    kinds: ports.map(({ port, protocol }: { port: number; protocol?: 'tcp' | 'udp' }) => {
      const type = protocol ?? (isUdp ? 'udp' : (found?.service.protocol ?? 'tcp'));
      const usual = Object.values(SERVICES).find((service) => service.port === port && service.security === 'tls');
      const isTls = type === 'tcp' && (security ?? (usual && said.has('handshake') ? 'tls' : undefined));
      const said2 = protocol ?? (isUdp || said.has('tcp'));
      return {
        type,
        target: at(target, port),
        ...(said2 ? {} : { why: 'A port is asked by TCP.' }),
        ...(isTls ? { security: isTls } : {}),
      };
    }),
  };
}

function ofHost(saying: Saying, target: Target): Decision {
  const { said, details, items } = saying;
  const isWeb = said.has('web') || said.has('load') || hasWebDetails(details) || target.path !== '' || said.has('responsetime');
  const isPort = details.ports.length > 0 || serviceOf(saying) !== undefined || said.has('tcp') || said.has('udp');
  if (said.has('browser'))
    return one({
      type: 'browser',
      target: urlOf(target),
      ...(target.path === '' ? { whyTarget: 'Pages are asked by HTTPS.' } : {}),
    });
  if (isDns(saying) && !(target.kind !== 'host' && !details.records.includes('PTR'))) return dnsKinds(saying, target);
  if (said.has('ping')) {
    const ping: Kind = { type: 'icmp', target: target.host };
    if (details.ports.length > 0) {
      const ports = portKinds(saying, target);
      if (ports && 'kinds' in ports) return { kinds: [ping, ...ports.kinds] };
    }
    return target.port === undefined ? one(ping) : choicesOf(target);
  }
  const clear = items.some(({ folded, kind }) => kind === 'word' && folded === 'http');
  const isCertificate = said.has('certificate') || details.certificateDays !== undefined;
  const web: Kind = {
    type: clear ? 'http' : 'https',
    target: urlOf(target, clear ? 'http' : undefined),
    why: 'Web pages are asked by HTTPS.',
    whyTarget: 'No scheme was named.',
  };
  if (web.target.startsWith('http:')) web.type = 'http';
  const isWebPort = target.port !== undefined && (TLS_WEB_PORTS.has(target.port) || hasWebDetails(details));
  if (isPort || (target.port !== undefined && !isWebPort && target.path === '')) {
    const kinds = portKinds(saying, target);
    if (kinds) return kinds;
  }
  if (isOfPackets(saying) && !hasWebDetails(details))
    return one({ type: 'icmp', target: target.host, why: 'Loss, jitter and round trips are measured by pings.' });
  if (target.port !== undefined && !isWeb && !isCertificate) return portKinds(saying, target) ?? choicesOf(target);
  if (isCertificate) return one({ ...web, why: 'A certificate is seen where HTTPS is spoken.' });
  if (isWeb) return one(web);
  if (said.has('port')) return portKinds(saying, target) ?? choicesOf(target);
  if (said.has('up') || said.has('reachable')) {
    if (target.kind !== 'host')
      return one({ type: 'icmp', target: target.host, why: 'Whether an address is there is told by pings.' });
    if (said.has('up') && !said.has('reachable')) return one(web);
  }
  return choicesOf(target);
}

const SCHEME_TYPES: Readonly<Record<string, 'icmp' | 'dns' | 'tcp' | 'udp' | 'tls'>> = {
  icmp: 'icmp',
  ping: 'icmp',
  dns: 'dns',
  tcp: 'tcp',
  udp: 'udp',
  tls: 'tls',
  ssl: 'tls',
};

function ofScheme(target: Target): Decision {
  const scheme = target.scheme ?? '';
  const type = SCHEME_TYPES[scheme];
  const service = SERVICES[scheme];
  if (type === 'icmp' || type === 'dns') return one({ type, target: target.host });
  const port = target.port ?? service?.port;
  if (!type && !service)
    return { unclear: `${scheme}:// is no scheme of a test. Name an https:// address, or a host with a port.` };
  if (port === undefined) return { unclear: `Which port of ${target.host}?` };
  const protocol = type === 'udp' ? 'udp' : (service?.protocol ?? 'tcp');
  const security = type === 'tls' ? 'tls' : service?.security;
  return one({ type: protocol, target: at(target, port), ...(security ? { security } : {}) });
}

export function ofTarget(saying: Saying, target: Target): Decision {
  if (target.kind === 'url') return ofUrl(saying, target);
  return target.scheme === undefined ? ofHost(saying, target) : ofScheme(target);
}

export const isWebType = (type: TestType): boolean => WEB_TYPES.includes(type);
