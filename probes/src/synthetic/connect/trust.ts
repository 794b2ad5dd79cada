import { createHash, createPrivateKey } from 'node:crypto';
import type tls from 'node:tls';
import { createSecureContext } from 'node:tls';
import { readRoots } from '../../trust.ts';
import { metered } from '../cpu.ts';
import type { Run } from '../run.ts';
import { takeSecret } from '../run.ts';
import { RunFailure } from '../run-failure.ts';

/** A context holds all roots, most of a megabyte; making one takes milliseconds. */
const MAX_CONTEXTS = 16;

let roots: string[] | undefined;
const contexts = new Map<string, tls.SecureContext>();

/** Trusts what this machine trusts, and what the test adds; made before any phase begins, so that none of them measures it. */
function contextFor(added: string | undefined, client: string | undefined): tls.SecureContext {
  const key = createHash('sha256')
    .update(JSON.stringify([added, client]))
    .digest('hex');
  const known = contexts.get(key);
  contexts.delete(key);
  roots ??= readRoots();
  const made =
    known ??
    createSecureContext({
      ca: added === undefined ? roots : [...roots, added],
      ...(client === undefined ? {} : { cert: client, key: client }),
    });
  contexts.set(key, made);
  const oldest = contexts.keys().next().value;
  if (contexts.size > MAX_CONTEXTS && oldest !== undefined) contexts.delete(oldest);
  return made;
}

/** Larger ones keep the thread for whole seconds at each handshake. */
const MAX_KEY_BITS = 4096;

function demandOrdinaryKey(pem: string, name: string): void {
  const { modulusLength = 0 } = createPrivateKey(pem).asymmetricKeyDetails ?? {};
  if (modulusLength > MAX_KEY_BITS)
    throw new RunFailure('secret', `The key of the secret ${name} has ${modulusLength} bits; ${MAX_KEY_BITS} are possible.`);
}

export interface TrustParams {
  readonly ca_pem?: string | undefined;
  readonly client_certificate?: string | undefined;
}

/** Reads the roots of this machine, several megabytes, before the first test does. */
export const readTrust = (): void => void contextFor(undefined, undefined);

/** `host` is whom the client's certificate is shown to. Throws a RunFailure where a certificate or key cannot be read. */
export function trustFor(run: Run, params: TrustParams, host: string): tls.SecureContext {
  const client = params.client_certificate === undefined ? undefined : takeSecret(run, params.client_certificate, host);
  const beganMs = performance.now();
  try {
    if (client !== undefined) demandOrdinaryKey(client, params.client_certificate ?? '');
    return metered(run, () => contextFor(params.ca_pem, client));
  } catch (error) {
    if (error instanceof RunFailure) throw error;
    // OpenSSL's words may hold parts of what it read.
    if (client === undefined) throw new RunFailure('internal', "The test's own authority is no PEM certificate.");
    throw new RunFailure(
      'secret',
      `The secret ${params.client_certificate} is no PEM of a certificate with its key, or the key does not fit.`,
    );
  } finally {
    run.startedMs += performance.now() - beganMs;
  }
}
