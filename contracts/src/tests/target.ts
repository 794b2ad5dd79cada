import type { TestType } from './test-types.ts';

/** Host, and port where it is named, of `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address; undefined where it is none. */
export function splitHostPort(text: string): { host: string; port: number | undefined } | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([A-Za-z0-9_.-]+))(?::(\d{1,5}))?$/.exec(text);
  if (!match) return /^[0-9A-Fa-f:.]+$/.test(text) && text.split(':').length > 2 ? { host: text, port: undefined } : undefined;
  const port = match[3] === undefined ? undefined : Number(match[3]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { host: (match[1] ?? match[2]) as string, port };
}

/**
 * The host that any spelling of a target names, in the one spelling that hosts are compared in: of a URL, `host`, `host:port`, `[v6]:port`, with
 * capitals, a dot at its end or letters beyond ASCII. What names no host stays what it is, in lower case.
 */
export function canonicalHost(target: string): string {
  const text = target.trim().toLowerCase();
  const named = text.includes('://')
    ? (URL.parse(text)?.hostname ?? text)
    : (splitHostPort(text)?.host ?? text.replace(/:\d{1,5}$/, ''));
  const bare = named.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  // As DNS is asked for it, and addresses in their shortest form.
  const known = URL.parse(`http://${bare.includes(':') ? `[${bare}]` : bare}`)?.hostname;
  return known === undefined ? bare : known.replace(/^\[(.*)\]$/, '$1');
}

function checkUrl(type: 'http' | 'https' | 'browser', target: string): string | undefined {
  let url: URL;
  try {
    url = new URL(target);
  } catch {
    return 'This is no URL. Write it whole, such as https://shop.example/health.';
  }
  const schemes = type === 'browser' ? ['http:', 'https:'] : [`${type}:`];
  if (!schemes.includes(url.protocol))
    return `A test of type ${type} needs a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}.`;
  if (url.username || url.password) return 'Credentials do not belong into the URL. Use a header with a secret.';
  return undefined;
}

/** A sentence that says what is wrong with the target of a test of this type; undefined: nothing is. */
export function checkTarget(type: TestType, target: string): string | undefined {
  if (type === 'http' || type === 'https' || type === 'browser') return checkUrl(type, target);
  if (type === 'dns')
    return /^[A-Za-z0-9_.*-]{1,253}$/.test(target) || /^[0-9A-Fa-f:.]+$/.test(target)
      ? undefined
      : 'This is no name that a resolver can be asked for.';
  const parts = splitHostPort(target);
  if (!parts) return 'This is no host. Write a name or an address, with a port as in mail.example:465.';
  if ((type === 'tcp' || type === 'udp') && parts.port === undefined)
    return `A test of type ${type} needs a port, such as ${target}:443.`;
  if (type === 'icmp' && parts.port !== undefined) return 'ICMP has no ports. Leave the port out.';
  return undefined;
}
