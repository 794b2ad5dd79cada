import type { Run } from '../run.ts';
import { takeSecret } from '../run.ts';
import { RunFailure } from '../run-failure.ts';

const PART = /\$\{secret:([A-Za-z0-9_.-]{1,64})\}|\\x([0-9A-Fa-f]{2})|\\([rnt\\])|[^\\$]+|[\\$]/gu;
const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\\': '\\' };

/**
 * Many sites share an address, and what is written by hand may ask for any of them: of HTTP only its own type of test knows who reads what it
 * sends. The version stands in each request that names a host, and in the beginning of HTTP/2.
 */
function demandNoHttp(bytes: Buffer): void {
  if (/HTTP\/\d/i.test(bytes.toString('latin1')))
    throw new RunFailure(
      'secret',
      'A secret goes by HTTP in a test of type http, https or browser only: there it is known who reads it.',
    );
}

/** Bytes that a text with \r, \n, \t, \\, \xHH and references to secrets stands for. A secret's own characters are no escapes. */
export function bytesOf(run: Run, text: string, host: string): Buffer {
  const parts: Buffer[] = [];
  let hasSecret = false;
  for (const [whole, secret, hex, escaped] of text.matchAll(PART)) {
    if (secret !== undefined) {
      hasSecret = true;
      parts.push(Buffer.from(takeSecret(run, secret, host), 'utf8'));
    } else if (hex !== undefined) parts.push(Buffer.from(hex, 'hex'));
    else parts.push(Buffer.from(escaped === undefined ? whole : (ESCAPES[escaped] ?? whole), 'utf8'));
  }
  const bytes = Buffer.concat(parts);
  if (hasSecret) demandNoHttp(bytes);
  return bytes;
}
