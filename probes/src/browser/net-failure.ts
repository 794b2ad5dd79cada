import type { RunFault } from '@svc/contracts/tests/run-report';
import { authorityOf } from '../synthetic/connect/dial.ts';
import { RunFailure } from '../synthetic/run-failure.ts';
import type { FilteringProxy } from './filtering-proxy.ts';

/** `host:port` of a URL as the proxy keeps it. */
export function authorityOfUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return '';
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  return authorityOf(url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''), Number(url.port || (isSecure ? 443 : 80)));
}

const ERRORS: readonly (readonly [RegExp, RunFault, string])[] = [
  [/ERR_CERT_DATE_INVALID/, 'certificate', 'The certificate is not accepted: it expired, or is not valid yet'],
  [/ERR_CERT_COMMON_NAME_INVALID/, 'certificate', 'The certificate is not accepted: it is for another name'],
  [
    /ERR_CERT_AUTHORITY_INVALID/,
    'certificate',
    'The certificate is not accepted: its authority is not trusted, it is self-signed, or the chain is incomplete',
  ],
  [/ERR_CERT_|ERR_BAD_SSL_CLIENT_AUTH_CERT|ERR_SSL_CLIENT_AUTH/, 'certificate', 'The certificate is not accepted'],
  [/ERR_SSL_|ERR_ECH_/, 'tls', 'The TLS handshake failed'],
  [/ERR_UNSAFE_PORT/, 'protocol', 'Browsers refuse this port'],
  [/ERR_TOO_MANY_REDIRECTS/, 'redirect', 'It redirects in circles'],
  [/ERR_UNSAFE_REDIRECT|ERR_UNKNOWN_URL_SCHEME|ERR_DISALLOWED_URL_SCHEME/, 'redirect', 'It redirects to what is no web page'],
  [/ERR_CONNECTION_RESET|ERR_HTTP2_|ERR_SOCKET_NOT_CONNECTED/, 'reset', 'The connection was reset'],
  [
    /ERR_EMPTY_RESPONSE|ERR_CONNECTION_CLOSED|ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED/,
    'closed',
    'The server closed the connection before the answer was complete',
  ],
  [/ERR_RESPONSE_HEADERS_TOO_BIG/, 'too_large', 'The head of the answer is too large'],
  [
    /ERR_INVALID_(?:HTTP_)?RESPONSE|ERR_CONTENT_DECODING|ERR_RESPONSE_HEADERS|ERR_UNEXPECTED/,
    'protocol',
    'What came back is no HTTP',
  ],
  [/ERR_ABORTED|Download is starting/, 'protocol', 'It is no page: there is nothing to show, or a file to keep'],
  [/ERR_OUT_OF_MEMORY|ERR_INSUFFICIENT_RESOURCES|Page crashed|Target crashed/, 'crashed', 'The page crashed'],
];

/** What made a page not come: the proxy's own reason where it made no connection, else Chromium's. */
export function netFailure(words: string, url: string, proxy: FilteringProxy): RunFailure {
  const known = proxy.failureOf(authorityOfUrl(url));
  if (known) return known;
  const code = /net::(ERR_[A-Z0-9_]+)/.exec(words)?.[1];
  const match = ERRORS.find(([pattern]) => pattern.test(words));
  if (match) return new RunFailure(match[1], `${match[2]}${code === undefined ? '' : ` (${code})`}.`);
  return new RunFailure('protocol', `The page did not come${code === undefined ? '' : ` (${code})`}.`);
}
