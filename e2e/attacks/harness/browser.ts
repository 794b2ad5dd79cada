import { type Answer, ask, type Door, type Request } from './ask.ts';

const HOPS = 12;

export interface Browser {
  /** One request with the jar's cookies. */
  visit(path: string, options?: Request): Promise<Answer>;
  /** The same and every redirect to this server after it. */
  follow(path: string, options?: Request): Promise<Answer & { path: string }>;
  /** The last redirect, as it stood. */
  lastLocation(): string;
  /** Cookie header of a request to `path`. */
  cookiesFor(path: string): string;
}

/** As much of a browser as signing in needs, at an address of its own on loopback. */
export function openBrowser(door: Door, from: string): Browser {
  const jar = new Map<string, { value: string; path: string }>();
  let location = '';

  function keep({ headers }: Answer): void {
    for (const line of headers['set-cookie'] ?? []) {
      const [pair = '', ...attributes] = line.split(/; */);
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      const isGone = value === '' || attributes.some((one) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(one));
      if (isGone) jar.delete(`${name} ${path}`);
      else jar.set(`${name} ${path}`, { value, path });
    }
  }

  const cookiesFor = (path: string) =>
    [...jar]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');

  async function visit(path: string, options: Request = {}): Promise<Answer> {
    const cookie = cookiesFor(path);
    const headers = { 'sec-fetch-site': 'same-origin', ...(cookie === '' ? {} : { cookie }), ...options.headers };
    const answer = await ask(door, path, { ...options, from, headers });
    keep(answer);
    if (answer.headers.location !== undefined) location = String(answer.headers.location);
    return answer;
  }

  async function follow(path: string, options: Request = {}): Promise<Answer & { path: string }> {
    let at = path;
    let answer = await visit(at, options);
    for (let hop = 0; hop < HOPS && answer.status >= 300 && answer.status < 400; hop += 1) {
      const next = new URL(String(answer.headers.location), `https://localhost:${door.port}${at}`);
      if (next.host !== `localhost:${door.port}`) return { ...answer, path: at };
      at = `${next.pathname}${next.search}`;
      answer = await visit(at);
    }
    return { ...answer, path: at };
  }

  return { visit, follow, cookiesFor, lastLocation: () => location };
}

/** Opens a claim link or an invitation with this account; ends at the console when it is taken. */
export async function openLink(
  browser: Browser,
  url: string,
  person: { email: string; password: string; name?: string },
): Promise<Answer & { path: string }> {
  const { pathname, searchParams } = new URL(url);
  const { email, password, name = 'Somebody' } = person;
  const form = { token: searchParams.get('token') ?? '', email, name, password, again: password };
  return await browser.follow(pathname, { form });
}

/** Signs in by password at the built-in issuer; gives the answer of the form, and the last page where it was right. */
export async function signIn(
  browser: Browser,
  person: { email: string; password: string },
  returnTo?: string,
): Promise<Answer & { path: string }> {
  const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
  const page = await browser.follow(`/auth/login${query}`);
  if (page.status !== 200) return page;
  return await browser.follow(page.path, { form: person });
}
