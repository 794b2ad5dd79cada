const MAX_COOKIES = 50;
const MAX_BYTES = 4096;

/** What answers set within one run, so that a sign-in that redirects is not sent round in circles; given back to the same host only. */
export interface Cookies {
  readonly take: (url: URL, fields: readonly string[] | undefined) => void;
  readonly forUrl: (url: URL) => string | undefined;
}

interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly secure: boolean;
  readonly name: string;
  readonly value: string;
}

const isUnder = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);

function readCookie(url: URL, field: string): Cookie | undefined {
  const [pair = '', ...attributes] = field.split(';').map((part) => part.trim());
  const split = pair.indexOf('=');
  if (split < 1 || field.length > MAX_BYTES || /[^\x20-\x7e]/.test(pair)) return undefined;
  const attribute = (name: string): string | undefined => {
    const found = attributes.find((part) => part.toLowerCase().split('=')[0]?.trim() === name);
    return found?.slice(name.length + 1).trim();
  };
  const path = attribute('path');
  return {
    host: url.hostname,
    path: path?.startsWith('/') ? path : '/',
    secure: attribute('secure') !== undefined,
    name: pair.slice(0, split),
    value: Number(attribute('max-age') ?? 1) <= 0 ? '' : pair.slice(split + 1),
  };
}

export function createCookies(): Cookies {
  const kept = new Map<string, Cookie>();
  return {
    take(url, fields = []) {
      for (const field of fields) {
        const cookie = readCookie(url, field);
        if (!cookie || kept.size >= MAX_COOKIES) continue;
        const key = `${cookie.host} ${cookie.path} ${cookie.name}`;
        if (cookie.value === '') kept.delete(key);
        else kept.set(key, cookie);
      }
    },
    forUrl(url) {
      const fitting = [...kept.values()].filter(
        ({ host, path, secure }) =>
          host === url.hostname && isUnder(url.pathname, path) && (!secure || url.protocol === 'https:'),
      );
      return fitting.length === 0
        ? undefined
        : fitting
            .map(({ name, value }) => `${name}=${value}`)
            .join('; ')
            .slice(0, 2 * MAX_BYTES);
    },
  };
}
