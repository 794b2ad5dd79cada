import { createHash } from 'node:crypto';

/** One request to the control plane as it left: for the ledger. */
export interface SentDocument {
  kind: 'enrol' | 'renew' | 'update';
  /** `https://host:port` */
  server: string;
  /** What was sent; a secret in it is named and not written down. */
  document: Readonly<Record<string, unknown>>;
  /** Of what was sent. */
  bytes: number;
  sha256: string;
  /** Unix milliseconds. */
  atMs: number;
  /** What the server signed for it, once it answered. */
  receipt?: DocumentReceipt;
}

/** As it came: base64, and the server's clock. */
export interface DocumentReceipt {
  signature: string;
  receivedAtMs: number;
}

export type NoteSent = (document: SentDocument) => void;

const SECRETS = ['token'];

/** The document of a request, written down without its secrets: whoever reads the ledger must not be able to enrol with it. */
export function sentDocument(kind: SentDocument['kind'], server: string, content: Uint8Array): SentDocument {
  const whole = JSON.parse(Buffer.from(content).toString('utf8')) as Record<string, unknown>;
  const document = Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [
      key,
      SECRETS.includes(key) ? `secret of ${String(value).length} characters` : value,
    ]),
  );
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { kind, server, document, bytes: content.length, sha256, atMs: Date.now() };
}

/** A look for updates: a request without a body. */
export function sentRequest({ server, path, atMs }: { server: string; path: string; atMs: number }): SentDocument {
  const { host } = new URL(server);
  const content = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const bytes = Buffer.byteLength(content);
  return { kind: 'update', server, document: { method: 'GET', path, host }, bytes, sha256, atMs };
}
