import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { inflateSync } from 'node:zlib';

/** One message as it was seen on the wire, decrypted and decompressed. */
export interface SeenMessage {
  kind: 'results' | 'status' | 'enrol' | 'renew' | 'load' | 'echo' | 'other';
  sha256: string;
  bytes: number;
  content: Buffer;
  /** Of a request over HTTPS. */
  path: string;
}

export interface RecordingProxy {
  /** Stands in the place of the control plane's address. */
  url: string;
  grpcAddr: string;
  /** In the order in which they arrived. */
  seen: SeenMessage[];
  /** What the control plane said over gRPC, by the kind of the stream that it came on. */
  heard: SeenMessage[];
  close(): Promise<void>;
}

export interface ProxyTargets {
  url: string;
  grpcAddr: string;
  /** Certificate and key of the control plane itself: the agent trusts no other. */
  leaf: { cert: string; key: string };
  /** The agent's own certificate and key, as they are on its disk now. */
  readIdentity(): Promise<{ chain: string; keyPem: string }>;
}

const KINDS: Record<string, SeenMessage['kind']> = {
  '/agent/v1/enroll': 'enrol',
  '/agent/v1/renew': 'renew',
  '/svc.agent.v1.Results/Publish': 'results',
  '/svc.agent.v1.Fleet/Connect': 'status',
  '/svc.agent.v1.LinkTest/Load': 'load',
  '/svc.agent.v1.LinkTest/Echo': 'echo',
};
const GRPC_HEADER = 5;

/** Cuts a stream of gRPC frames (a flag of compression, a length, the message) into messages. */
function createFrameReader(onMessage: (message: Buffer) => void): (part: Buffer) => void {
  let held = Buffer.alloc(0);
  return (part) => {
    held = Buffer.concat([held, part]);
    while (held.length >= GRPC_HEADER) {
      const end = GRPC_HEADER + held.readUInt32BE(1);
      if (held.length < end) return;
      const message = held.subarray(GRPC_HEADER, end);
      onMessage(held[0] === 1 ? inflateSync(message) : Buffer.from(message));
      held = held.subarray(end);
    }
  };
}

/** Requests over HTTPS, each passed on once it is whole. */
function relayHttps(targets: ProxyTargets, note: (path: string, content: Buffer) => void) {
  return createServer(targets.leaf, (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      const path = incoming.url ?? '';
      note(path, Buffer.concat(parts));
      const { method = 'GET', headers } = incoming;
      const call = request(new URL(path, targets.url), { method, headers, rejectUnauthorized: false }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      call.on('error', () => outgoing.destroy());
      call.end(Buffer.concat(parts));
    });
  });
}

/**
 * Stands between an agent and its control plane with the keys of both, and keeps everything that the agent says and hears. What the ledger must
 * account for is what this sees.
 */
export async function startRecordingProxy(targets: ProxyTargets): Promise<RecordingProxy> {
  const seen: SeenMessage[] = [];
  const heard: SeenMessage[] = [];
  const note = (path: string, content: Buffer, list = seen): void => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    list.push({ kind: KINDS[path] ?? 'other', sha256, bytes: content.length, content, path });
  };
  const https = relayHttps(targets, note);
  const grpc = createSecureServer({ ...targets.leaf, requestCert: true, rejectUnauthorized: false });
  let identity: Promise<unknown> = Promise.resolve();
  grpc.on('stream', async (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    stream.pause();
    // One identity for all, asked for once at a time: streams are read in the order in which they were opened.
    const reading = identity.then(targets.readIdentity);
    identity = reading.then(
      () => undefined,
      () => undefined,
    );
    const { chain, keyPem } = await reading;
    const upstream = connect(`https://${targets.grpcAddr}`, { cert: chain, key: keyPem, rejectUnauthorized: false });
    upstream.on('error', () => stream.destroy());
    stream.on('close', () => upstream.destroy());
    const { ':path': path = '', ':authority': _, ':scheme': __, ...rest } = headers;
    const call = upstream.request({ ...rest, ':method': 'POST', ':path': path, ':scheme': 'https' });
    call.on('error', () => stream.destroy());
    const read = createFrameReader((message) => note(String(path), message));
    stream.on('data', (part: Buffer) => {
      read(part);
      call.write(part);
    });
    stream.on('end', () => call.end());
    call.on('response', ({ ':status': status, ...answer }) =>
      stream.respond({ ':status': status, ...answer }, { waitForTrailers: true }),
    );
    let trailers = {};
    call.on('trailers', (given) => {
      trailers = given;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    const readBack = createFrameReader((message) => note(String(path), message, heard));
    call.on('data', (part: Buffer) => {
      readBack(part);
      stream.write(part);
    });
    call.on('end', () => stream.end());
    stream.resume();
  });
  await Promise.all([https, grpc].map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
  return {
    url: `https://127.0.0.1:${portOf(https)}`,
    grpcAddr: `127.0.0.1:${portOf(grpc)}`,
    seen,
    heard,
    async close() {
      https.closeAllConnections();
      await Promise.all([https, grpc].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
