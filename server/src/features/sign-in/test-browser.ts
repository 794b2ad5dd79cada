import { request } from 'node:https';

export interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
  /** The address that was asked for. */
  url: string;
}

interface Cookie {
  value: string;
  /** Origin and path. */
  scope: string;
  attributes: string;
}

interface Ask {
  method?: string;
  form?: Record<string, string>;
  json?: unknown;
  headers?: Record<string, string>;
}

/** As much of a browser as sign-in needs: a cookie jar, redirects, forms, and what Chromium says in Sec-Fetch-Site. */
export function createTestBrowser(base: string, trust: { ca: string; others: readonly string[] }) {
  const jar = new Map<string, Cookie>();

  const keep = (origin: string, header: string) => {
    const [pair = '', ...attributes] = header.split(/; */);
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    const path = /(?:^|; )path=([^;]*)/i.exec(attributes.join('; '))?.[1] ?? '/';
    const gone = /max-age=0(;|$)|expires=thu, 01 jan 1970/i.test(attributes.join('; ')) || pair.slice(at + 1) === '';
    if (gone) jar.delete(`${name} ${origin}${path}`);
    else
      jar.set(`${name} ${origin}${path}`, {
        value: pair.slice(at + 1),
        scope: `${origin}${path}`,
        attributes: attributes.join('; '),
      });
  };

  const ask = async (address: string, { method = 'GET', form, json, headers = {} }: Ask = {}): Promise<Answer> => {
    const url = new URL(address, base);
    // Undefined: the process's own trust, to which a test adds.
    const ca = trust.others.includes(url.origin) ? undefined : trust.ca;
    const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const cookies = [...jar]
      .filter(([, { scope }]) => url.href.startsWith(scope))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`);
    const all = {
      accept: 'text/html,application/json',
      'sec-fetch-site': 'same-origin',
      ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    return await new Promise((resolve, reject) => {
      const outgoing = request(url, { method, ca, headers: sent, agent: false, servername: url.hostname }, (incoming) => {
        let text = '';
        for (const header of incoming.headers['set-cookie'] ?? []) keep(url.origin, header);
        incoming.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
        });
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text, url: url.href }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  };

  return {
    jar,
    ask,
    /** Follows redirects to a page; gives that page. */
    async open(address: string, options: Ask = {}): Promise<Answer> {
      let answer = await ask(address, options);
      for (let hops = 0; answer.status >= 300 && answer.status < 400; hops += 1) {
        if (hops > 12) throw new Error(`redirects without end: ${answer.url}`);
        answer = await ask(new URL(String(answer.headers.location), answer.url).href);
      }
      return answer;
    },
    cookie: (start: string): Cookie | undefined => [...jar].find(([key]) => key.startsWith(start))?.[1],
  };
}

export type TestBrowser = ReturnType<typeof createTestBrowser>;

/** Address of the page's form. */
export const formAction = (page: Answer): string => {
  const action = /<form[^>]* action="([^"]+)"/.exec(page.body)?.[1];
  if (!action) throw new Error(`no form on ${page.url}: ${page.status} ${page.body.slice(0, 500)}`);
  return new URL(action, page.url).href;
};
