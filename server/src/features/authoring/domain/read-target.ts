/** A host, address or URL as somebody types it, with usual slips mended. */
export interface Target {
  kind: 'url' | 'host' | 'ipv4' | 'ipv6';
  /** In lower case; only of what was typed with one. */
  scheme?: string;
  /** As DNS has it, an IPv6 address without brackets. */
  host: string;
  port?: number;
  /** With its query; '' without one. */
  path: string;
  /** Of a web address: as it was typed. */
  url?: string;
}

export type ReadTarget = Target | { fault: string } | undefined;

/** Names of files, not hosts. */
const FILES: ReadonlySet<string> = new Set(
  'html htm php json xml txt css png jpg jpeg gif svg pdf yaml yml log exe aspx jsp csv zip conf'.split(' '),
);
const SCHEMES: Readonly<Record<string, string>> = {
  ...{ htp: 'http', htttp: 'http', hhtp: 'http', ttp: 'http', httpp: 'http' },
  ...{
    htps: 'https',
    htpps: 'https',
    htttps: 'https',
    hhttps: 'https',
    hhtps: 'https',
    ttps: 'https',
    httsp: 'https',
    httpps: 'https',
    'https:https': 'https',
  },
};

const isDigits = (text: string): boolean => /^\d+$/.test(text);

function readPort(text: string): number | undefined {
  if (!isDigits(text) || text.length > 5) return undefined;
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** The name as DNS is asked for it; undefined where it is none. */
function asciiHost(text: string): string | undefined {
  if (text.length > 253) return undefined;
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (/^[\p{ASCII}]+$/u.test(bare)) return /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/.test(bare) ? bare.toLowerCase() : undefined;
  const known = URL.parse(`http://${bare}/`)?.hostname;
  return known === undefined || known.startsWith('[') ? undefined : known;
}

function isName(text: string): boolean {
  if (!/^[\p{L}\p{N}\p{M}_.-]+$/u.test(text)) return false;
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || labels.some((label) => label === '' || label.startsWith('-') || label.length > 63)) return false;
  return (/^\p{L}{2,}$/u.test(last) || last.startsWith('xn--')) && !FILES.has(last.toLowerCase());
}

const NETWORK = 'A test asks one host. Name a host or an address, not a network.';
const PATTERN = 'A test asks one host. Name it whole, without a star.';

function readAddress(text: string): ReadTarget {
  const [authority = '', ...rest] = text.split('/');
  const path = rest.length > 0 ? `/${rest.join('/')}` : '';
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::(\d+))?$/.exec(authority);
  const v6 =
    bracketed?.[1] ??
    (/^[0-9A-Fa-f:]+(?:\.\d+){0,3}$/.test(authority) && authority.split(':').length > 2 ? authority : undefined);
  if (v6 !== undefined) {
    const known = URL.parse(`http://[${v6}]/`)?.hostname;
    if (known === undefined) return undefined;
    if (isDigits(path.slice(1))) return { fault: NETWORK };
    const port = bracketed?.[2] === undefined ? undefined : readPort(bracketed[2]);
    if (bracketed?.[2] !== undefined && port === undefined)
      return { fault: `${bracketed[2]} is no port: they go from 1 to 65535.` };
    return { kind: 'ipv6', host: known.slice(1, -1), path, ...(port === undefined ? {} : { port }) };
  }
  const [address = '', portText, ...more] = authority.split(':');
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address) || more.length > 0) return undefined;
  if (address.split('.').some((part) => part.length > 3 || Number(part) > 255)) return { fault: `${address} is no address.` };
  if (isDigits(path.slice(1)) && path.length <= 3) return { fault: NETWORK };
  const port = portText === undefined ? undefined : readPort(portText);
  if (portText !== undefined && port === undefined) return { fault: `${portText} is no port: they go from 1 to 65535.` };
  return { kind: 'ipv4', host: address, path, ...(port === undefined ? {} : { port }) };
}

function readUrl(scheme: string, rest: string): ReadTarget {
  const known = SCHEMES[scheme] ?? scheme;
  const typed = `${known}://${rest}`;
  if (rest.startsWith('*.')) return { fault: PATTERN };
  if (known !== 'http' && known !== 'https') {
    const inner = readTarget(rest.replace(/\/$/, ''));
    return inner && 'host' in inner ? { ...inner, scheme: known } : inner;
  }
  const url = URL.parse(typed);
  if (!url || url.hostname === '') return { fault: `${typed.slice(0, 200)} is no URL.` };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isPlain = /^\p{ASCII}+$/u.test(typed);
  const path = `${url.pathname}${url.search}`;
  const port = url.port === '' ? undefined : Number(url.port);
  return { kind: 'url', scheme: known, host, path, url: isPlain ? typed : url.href, ...(port === undefined ? {} : { port }) };
}

function readHost(text: string, isWord: (label: string) => boolean): ReadTarget {
  const slash = text.search(/[/?#]/);
  const authority = slash < 0 ? text : text.slice(0, slash);
  const path = slash < 0 ? '' : text.slice(slash);
  const [name = '', portText, ...more] = authority.split(':');
  if (more.length > 0) return undefined;
  const isAlone =
    name.toLowerCase() === 'localhost' ||
    (portText !== undefined && isDigits(portText) && /^[A-Za-z][A-Za-z0-9_-]*$/.test(name) && !isWord(name));
  if (name.startsWith('*.') && isName(name.slice(2))) return { fault: PATTERN };
  if (!isName(name) && !isAlone) return undefined;
  const host = asciiHost(name);
  if (host === undefined) return undefined;
  if (portText === undefined || portText === '') return { kind: 'host', host, path };
  const port = readPort(portText);
  if (port === undefined) return isDigits(portText) ? { fault: `${portText} is no port: they go from 1 to 65535.` } : undefined;
  return { kind: 'host', host, path, port };
}

/** `isWord`: what stands before a colon is a word of the request, such as `port:443`. */
export function readTarget(text: string, isWord: (label: string) => boolean = () => false): ReadTarget {
  if (text.length > 2048) return undefined;
  const scheme =
    /^([A-Za-z][A-Za-z0-9+.-]{0,15}):\/\/?(?=[^/])(.*)$/s.exec(text) ?? /^([Hh][Tt][Tt]?[Pp][Ss]?)[;]?\/\/(.*)$/s.exec(text);
  if (scheme && !(text.slice(scheme[1]?.length).startsWith(':/') && !text.includes('://') && !/^h/i.test(text)))
    return readUrl((scheme[1] ?? '').toLowerCase(), scheme[2] ?? '');
  if (text.includes('@')) return undefined;
  return readAddress(text) ?? readHost(text, isWord);
}

export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
