import type { Connection } from '#kernel';
import { cut } from '../domain/cut.ts';
import { clean } from '../domain/escape.ts';
import { hideSecrets, type Secrets } from '../domain/hide-secrets.ts';

const MOST = 500;
/** Looked at: what lies behind is not shown, whatever is hidden before it. */
const MOST_LOOKED_AT = 8192;

/** As it stands in an address, and as it reads there. */
function partsOfQuery(query: string): string[] {
  const values = query.split('&').flatMap((part) => part.slice(part.indexOf('=') + 1));
  return [...values, ...new URLSearchParams(query).values()];
}

/** Of what is a secret as a whole and holds words of everybody beside it, the parts that are secret alone. */
function partsOf(secret: string): { whole: string[]; alone: string[] } {
  const url = /^https:\/\//.test(secret) ? URL.parse(secret) : null;
  if (url) {
    const alone = [...partsOfQuery(url.search.slice(1)), ...url.pathname.split('/')];
    return { whole: [secret, encodeURIComponent(secret), `${url.pathname}${url.search}`], alone };
  }
  const colon = secret.indexOf(':');
  if (colon <= 0) return { whole: [], alone: [secret, encodeURIComponent(secret)] };
  const login = secret.slice(colon + 1);
  return {
    whole: [secret, encodeURIComponent(secret)],
    alone: [login, encodeURIComponent(login), Buffer.from(secret).toString('base64')],
  };
}

/** Everything of a connection that no log, page or error may show, in the forms in which providers repeat it. */
export function secretsOf(to: Connection, secretSettings: readonly string[] = []): Secrets {
  const named = secretSettings.map((name) => to.settings[name] ?? '');
  const parts = [to.credential, ...named].map(partsOf);
  // Receivers take tokens in the query of their address.
  const query = URL.parse(to.url)?.search.slice(1) ?? '';
  return {
    whole: parts.flatMap(({ whole }) => whole),
    alone: [...parts.flatMap(({ alone }) => alone), ...partsOfQuery(query)],
  };
}

/** A provider's words as people may see them: short, and without what they may have repeated of our credentials, even cut short. */
export function sayOf(words: string, secrets: Secrets): string {
  return cut(hideSecrets(clean(words.slice(0, MOST_LOOKED_AT)).replace(/\s+/g, ' ').trim(), secrets), MOST);
}
