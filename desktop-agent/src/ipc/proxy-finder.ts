/** A face that does not answer in this time is not waited for: the session goes direct. */
const ANSWER_LIMIT_MS = 1000;
const MAX_PENDING = 64;

/** Asks a window which proxy its system uses for a URL; only a window knows, by Electron's resolveProxy. */
export interface ProxyFinder {
  /** `http://host:port`, the scheme told for other kinds; null: direct, also where no window answers within a second. */
  proxyFor(url: string): Promise<string | null>;
  /** Takes a window's answer. */
  found(ask: number, proxy: string): void;
}

const SCHEMES: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
};

/** The first choice of a list such as `PROXY a:3128; DIRECT`; null for direct and for what is no proxy. */
export function readProxyList(list: string): string | null {
  const [kind = '', authority = ''] = (list.split(';')[0] ?? '').trim().split(/\s+/);
  const scheme = SCHEMES[kind.toUpperCase()];
  const url = `${scheme}://${authority}`;
  return scheme !== undefined && authority !== '' && URL.canParse(url) ? url : null;
}

/** `ask` sends the question to the windows that watch and gives how many those are. */
export function createProxyFinder(ask: (question: { ask: number; url: string }) => number): ProxyFinder {
  const pending = new Map<number, (proxy: string | null) => void>();
  let last = 0;
  return {
    proxyFor(url) {
      last += 1;
      const id = last;
      if (pending.size >= MAX_PENDING || ask({ ask: id, url }) === 0) return Promise.resolve(null);
      return new Promise((resolve) => {
        const settle = (proxy: string | null): void => {
          clearTimeout(timer);
          pending.delete(id);
          resolve(proxy);
        };
        const timer = setTimeout(() => settle(null), ANSWER_LIMIT_MS);
        pending.set(id, settle);
      });
    },
    found: (id, proxy) => pending.get(id)?.(readProxyList(proxy)),
  };
}
