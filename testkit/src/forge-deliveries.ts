import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Deliveries of forges as they are sent (testkit/fixtures/README.md). */

const FOLDER = join(import.meta.dirname, '..', 'fixtures');
export type Forge = 'github' | 'gitlab';

/** Names of all bodies of a forge. */
export const listDeliveries = (forge: Forge): string[] =>
  readdirSync(join(FOLDER, forge)).filter((name) => name.endsWith('.json') && !name.includes('vectors'));

/** The very bytes. */
export const readDelivery = (forge: Forge, name: string): Buffer => readFileSync(join(FOLDER, forge, name));

export const readVectors = <Vector>(forge: Forge): Vector[] => {
  const name = forge === 'github' ? 'signature-vectors.json' : 'signing-token-vectors.json';
  return JSON.parse(readFileSync(join(FOLDER, forge, name), 'utf8')) as Vector[];
};

/** GitHub's word for what a file holds: it stands in a header, not in the body. */
export const githubEventOf = (name: string): string => name.split('.')[0] ?? '';

const hmac = (secret: string | Buffer, body: Uint8Array | string) => createHmac('sha256', secret).update(body);

/** Headers of GitHub's delivery of these bytes. */
export const githubHeaders = (secret: string, body: Uint8Array, { event, id }: { event: string; id: string }) => ({
  'content-type': 'application/json',
  'x-github-event': event,
  'x-github-delivery': id,
  'x-hub-signature-256': `sha256=${hmac(secret, body).digest('hex')}`,
});

/** Of a program of one's own. */
export const genericHeaders = (secret: string, body: Uint8Array | string) => ({
  'content-type': 'application/json',
  'x-svc-signature': `sha256=${hmac(secret, body).digest('hex')}`,
});

/** Of GitLab with a signing token (`whsec_...`). */
export function signingTokenHeaders(token: string, body: Uint8Array, { id, seconds }: { id: string; seconds: number }) {
  const key = Buffer.from(token.replace(/^whsec_/, ''), 'base64');
  const signature = hmac(key, Buffer.concat([Buffer.from(`${id}.${seconds}.`), body])).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
