const URL_BEGIN = /^[a-z][a-z0-9+.-]*:\/\//i;

interface Target {
  host: string;
  /** Port and path, where they are not the usual ones. */
  rest: string;
}

/** A target is a URL, or a host that may have a port and a path behind it: `crm.example:8443/login`; IPv6 addresses stand bare. */
function readTarget(target: string): Target {
  if (URL_BEGIN.test(target) && URL.canParse(target)) {
    const { hostname, port, pathname } = new URL(target);
    return { host: hostname.replace(/^\[|\]$/g, ''), rest: (port && `:${port}`) + (pathname === '/' ? '' : pathname) };
  }
  const slash = target.indexOf('/');
  const [place, path] = slash < 0 ? [target, ''] : [target.slice(0, slash), target.slice(slash)];
  const port = /^[^:]+(:\d+)$/.exec(place)?.[1] ?? '';
  return { host: place.slice(0, place.length - port.length), rest: port + path };
}

/** The host of a target that may be a URL or a host. */
export const targetHost = (target: string): string => readTarget(target).host;

const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(':');

/** What a person calls a target: `crm` of https://crm.suite.example/, `crm/login` of its sign-in page, addresses whole. */
export function shortTarget(target: string): string {
  const { host, rest } = readTarget(target);
  if (isAddress(host)) return host + rest;
  const labels = host.replace(/^www\./, '').split('.');
  return (labels[0] ?? host) + rest;
}
