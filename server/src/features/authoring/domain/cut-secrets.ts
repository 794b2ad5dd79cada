/** Takes credentials out of a request before anything else looks at it; each becomes a reference to a secret that is still to be made. */

export interface CutSecret {
  /** Stands in the text as `${secret:...}`, until the test is known that it is for. */
  mark: string;
  kind: 'token' | 'basic' | 'key' | 'value';
}

export interface CutText {
  text: string;
  secrets: CutSecret[];
  /** Why a credential cannot be kept out of what is shown: it stands where no reference may. */
  fault?: string;
}

const SCHEMES: ReadonlySet<string> = new Set(['bearer', 'basic', 'digest', 'token']);
const SENSITIVE: ReadonlySet<string> = new Set(
  (
    'password passwd pwd passwort kennwort contrasena contraseña wachtwoord passphrase secret geheimnis secreto geheim token apikey api-key api_key ' +
    'access-key access_key access_token client_secret client-secret authorization x-api-key x-auth-token cookie set-cookie auth jeton jwt session sessionid sig signature'
  ).split(' '),
);
const MAKERS = [
  'svc_pat_',
  'svc_enr_',
  'sk-',
  'rk-',
  'ghp_',
  'gho_',
  'ghs_',
  'github_pat_',
  'glpat-',
  'xoxb-',
  'xoxp-',
  'xoxa-',
  'whsec_',
  'npm_',
  'hf_',
  'AKIA',
  'ASIA',
  'AIza',
  'eyJ',
];
const QUERY =
  'A credential stands in the query of the URL, where every runner and log would see it. Take it out; send it in a header.';

const isSensitive = (word: string): boolean => SENSITIVE.has(word.toLowerCase());

/** Long, mixed and without a word in it. */
function isKey(text: string): boolean {
  if (MAKERS.some((maker) => text.startsWith(maker) && text.length >= maker.length + 8)) return true;
  return text.length >= 32 && /^[A-Za-z0-9+/_=-]+$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}

const strip = (piece: string): { body: string; tail: string } => {
  const body = piece.replace(/[.,;:!?)\]"'»”]{1,4}$/, '');
  return { body, tail: piece.slice(body.length) };
};

class Cutter {
  readonly secrets: CutSecret[] = [];
  fault: string | undefined;

  refer(kind: CutSecret['kind']): string {
    const mark = `cut-${this.secrets.length + 1}`;
    this.secrets.push({ mark, kind });
    return `\${secret:${mark}}`;
  }

  /** Of a web address: who signs in, and credentials in its query. */
  cutUrl(piece: string): string {
    const start = piece.indexOf('://') + 3;
    const authority = /^[^/?#]*/.exec(piece.slice(start))?.[0] ?? '';
    const at = authority.lastIndexOf('@');
    const rest = piece.slice(start + authority.length);
    const question = rest.indexOf('?');
    const names =
      question < 0
        ? []
        : rest
            .slice(question + 1)
            .split(/[&;#]/)
            .map((one) => one.split('=')[0] ?? '');
    const isOpen = names.some((name) => isSensitive(name)) || rest.split(/[/?&=;#]/).some(isKey);
    if (isOpen) this.fault = QUERY;
    const path = isOpen ? rest.slice(0, Math.max(0, question)) : rest;
    if (at < 0) return piece.slice(0, start) + authority + path;
    const user = authority.slice(0, at);
    if (user.includes('${secret:')) return piece;
    this.refer('basic');
    return piece.slice(0, start) + authority.slice(at + 1) + path;
  }
}

/** What stands behind a name that says that it is secret: `password: x`, `token=x`, `Bearer x`. */
interface Awaited {
  kind: CutSecret['kind'];
  /** It was followed by a sign, so that whatever comes is its value. */
  isCertain: boolean;
}

function awaited(body: string, tail: string): Awaited | undefined {
  const name = body.toLowerCase().replace(/^["'(]/, '');
  const isCertain = tail.includes(':') || body.endsWith('=');
  if (SCHEMES.has(name)) return { kind: name === 'basic' ? 'basic' : 'token', isCertain };
  if (!isSensitive(name.replace(/=$/, ''))) return undefined;
  return {
    kind: /key|cookie|auth|sig/.test(name) ? 'key' : /pass|pwd|kennwort|contra|wacht/.test(name) ? 'basic' : 'token',
    isCertain,
  };
}

const looksSecret = (body: string): boolean =>
  body.length >= 6 && /[\d!$%^*_+-]/.test(body) && !body.includes('://') && !/^\d+(\.\d+)*$/.test(body);

export function cutSecrets(text: string): CutText {
  const cutter = new Cutter();
  let next: Awaited | undefined;
  const pieces = text.split(/(\s+)/).map((piece) => {
    if (piece === '' || /^\s/.test(piece)) return piece;
    const { body, tail } = strip(piece);
    const wanted = next;
    next = undefined;
    if (wanted && /^(is|=|:|ist|est|es|lautet)$/.test(piece)) {
      next = { ...wanted, isCertain: true };
      return piece;
    }
    if (wanted && SCHEMES.has(body.toLowerCase())) {
      next = { kind: body.toLowerCase() === 'basic' ? 'basic' : 'token', isCertain: true };
      return piece;
    }
    if (body.includes('${secret:')) return piece;
    if (wanted && body !== '' && (wanted.isCertain || looksSecret(body))) return cutter.refer(wanted.kind) + tail;
    if (body.includes('://')) return cutter.cutUrl(body) + tail;
    const sign = body.search(/[=:]/);
    if (sign > 0 && sign < body.length - 1 && isSensitive(body.slice(0, sign).replace(/^["'(]/, '')))
      return `${body.slice(0, sign + 1)}${cutter.refer(awaited(body.slice(0, sign), ':')?.kind ?? 'token')}${tail}`;
    if (isKey(body)) return cutter.refer('token') + tail;
    next = awaited(body, tail);
    return piece;
  });
  return { text: pieces.join(''), secrets: cutter.secrets, ...(cutter.fault === undefined ? {} : { fault: cutter.fault }) };
}
