import type { HttpParams } from '@svc/contracts/tests/params/http';
import { secretsIn } from '@svc/contracts/tests/params/shared';
import { splitHostPort } from '@svc/contracts/tests/target';
import { fillSecrets, type Run } from '../run.ts';
import { RunFailure } from '../run-failure.ts';

/** These say how the request itself is framed, which is not the test's to say. */
const OWN = new Set(['connection', 'content-length', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);
const FIRST_HOST_ONLY = new Set(['authorization', 'cookie', 'proxy-authorization', 'host']);
const DEFAULTS: readonly (readonly [string, string])[] = [
  ['user-agent', 'svc-canary'],
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
];

export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Of the test; a redirect by 301, 302 and 303 takes it off. */
  readonly body: string | undefined;
  /** How this one differs from the first request. */
  readonly isForeign: boolean;
  readonly isDowngrade: boolean;
  readonly cookies: string | undefined;
}

/** Without brackets, as secrets are bound and addresses are written. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Whom the test asks for beside the host of its URL: where many share an address, they read what is sent. */
export function readersOf({ headers, tls }: Pick<HttpParams, 'headers' | 'tls'>): string[] {
  const hosts = headers.filter(({ name }) => name.toLowerCase() === 'host').map(({ value }) => value.trim());
  return [
    ...(tls.server_name === undefined ? [] : [tls.server_name]),
    ...hosts.map((value) => splitHostPort(value)?.host ?? value),
  ];
}

/** The value for this hop; undefined: it may not be sent there, so that the header is left out. */
function valueFor(run: Run, { name, value }: HttpParams['headers'][number], hop: Hop): string | undefined {
  const isSecret = secretsIn(value).length > 0;
  if (hop.isForeign && (FIRST_HOST_ONLY.has(name.toLowerCase()) || isSecret)) {
    if (!isSecret || hop.isDowngrade) return undefined;
    try {
      return fillSecrets(run, value, hostOf(hop.url));
    } catch {
      return undefined;
    }
  }
  const filled = fillSecrets(run, value, hostOf(hop.url));
  if (/[^\t\x20-\x7e\x80-\xff]/.test(filled))
    throw new RunFailure(
      isSecret ? 'secret' : 'protocol',
      `The header ${name} has characters that no header may have, such as an end of line.`,
    );
  return filled;
}

/** Names and values in turn, as `http.request` takes them. Secrets are put in here and for this hop's host. */
export function headersFor(run: Run, wanted: HttpParams['headers'], hop: Hop): string[] {
  const fields: [string, string][] = [];
  for (const header of wanted) {
    if (OWN.has(header.name.toLowerCase())) continue;
    const value = valueFor(run, header, hop);
    if (value !== undefined) fields.push([header.name, value]);
  }
  const has = (name: string): boolean => fields.some(([known]) => known.toLowerCase() === name);
  if (!has('host')) fields.unshift(['host', hop.url.host]);
  for (const [name, value] of DEFAULTS) if (!has(name)) fields.push([name, value]);
  if (hop.cookies !== undefined && !has('cookie')) fields.push(['cookie', hop.cookies]);
  fields.push(['connection', 'close']);
  return fields.flat();
}

export function bodyFor(run: Run, hop: Hop): Buffer | undefined {
  if (hop.body === undefined) return undefined;
  if (hop.isDowngrade && secretsIn(hop.body).length > 0)
    throw new RunFailure('secret', 'A redirect leads from https to http, and the body holds a secret.');
  return Buffer.from(fillSecrets(run, hop.body, hostOf(hop.url)), 'utf8');
}
