import type net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { secure } from '../synthetic/connect/secure.ts';
import type { Run } from '../synthetic/run.ts';
import { createSelfSigned } from './self-signed.ts';

/** First byte of a TLS handshake. */
const HANDSHAKE = 0x16;

export interface Termination {
  /** What a server's certificate has to hold against. */
  readonly context: tls.SecureContext;
  /** Shown to Chromium for every name. */
  readonly own: { readonly cert: string; readonly key: string };
}

/**
 * Chromium on Linux takes no authority for one run. Where a test brings its own, the certificates are checked here, and Chromium is told to
 * take what this process shows it: between the two is nothing but this machine's loopback.
 */
export const createTermination = (context: tls.SecureContext): Termination => ({ context, own: createSelfSigned() });

export interface Pair {
  readonly run: Run;
  readonly client: Duplex;
  readonly upstream: net.Socket;
  readonly host: string;
}

const firstBytes = (client: Duplex): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    client.once('data', (chunk: Buffer) => {
      client.pause();
      client.unshift(chunk);
      resolve(chunk);
    });
    client.once('close', () => reject(new Error('closed')));
  });

/**
 * The two ends to join, both in the clear. WebSockets without TLS come through tunnels, too, and stay as they are. Throws the RunFailure of a
 * handshake or a certificate.
 */
export async function terminate({ run, client, upstream, host }: Pair, { context, own }: Termination): Promise<[Duplex, Duplex]> {
  const first = await firstBytes(client);
  if (first[0] !== HANDSHAKE) return [client, upstream];
  const secured = await secure(run, upstream, { context, name: host, acceptInvalid: false, protocols: ['http/1.1'] });
  // A TLS server takes a stream of any kind; its types know sockets only.
  const inner = new tls.TLSSocket(client as net.Socket, { isServer: true, ...own, ALPNProtocols: ['http/1.1'] });
  return [inner, secured];
}
