import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { DESCRIPTOR_FILE } from '@svc/otlp-wire/test-conforming';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { createRootCa, createServerLeaf } from '#crypto';

const SERVICE = 'opentelemetry.proto.collector.metrics.v1';

interface Reflection {
  FileDescriptorSet: { decode(bytes: Uint8Array): unknown };
}
type FromDescriptor = { fromDescriptor(set: unknown): protobuf.Root };

/** One number as the collector got it. */
export interface TakenPoint {
  name: string;
  unit: string;
  tenant: string | undefined;
  value: number;
  atMs: number;
  attributes: Record<string, string>;
}

/** A collector that nobody here wrote the wire format of: grpc-js or HTTPS with TLS, and protobufjs over the project's own descriptors. */
export interface TestCollector {
  url: string;
  /** PEM of its authority. */
  ca: string;
  points: TakenPoint[];
  /** `authorization` of each request. */
  tokens: string[];
  /** Of each request from now on: a status to refuse with, or points to say that it refused. */
  faults: { refuse?: number; rejected?: number; words?: string };
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value?: { string_value?: string };
}
interface DataPoint {
  as_double?: number;
  as_int?: string;
  time_unix_nano?: string;
  attributes?: Attribute[];
}
interface Metric {
  name: string;
  unit?: string;
  gauge?: { data_points: DataPoint[] };
  sum?: { data_points: DataPoint[] };
}
interface Request {
  resource_metrics?: { resource?: { attributes?: Attribute[] }; scope_metrics?: { metrics?: Metric[] }[] }[];
}

const loadRoot = (): protobuf.Root => {
  const set = (descriptor as unknown as Reflection).FileDescriptorSet.decode(readFileSync(DESCRIPTOR_FILE));
  const root = (protobuf.Root as unknown as FromDescriptor).fromDescriptor(set);
  root.resolveAll();
  return root;
};
const textOf = (attributes: Attribute[] = []): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value?.string_value ?? '']));

function readPoints({ resource_metrics: resources = [] }: Request): TakenPoint[] {
  return resources.flatMap(({ resource, scope_metrics: scopes = [] }) => {
    const tenant = textOf(resource?.attributes)['svc.tenant.id'];
    return scopes
      .flatMap(({ metrics = [] }) => metrics)
      .flatMap(({ name, unit = '', gauge, sum }) =>
        (gauge ?? sum)?.data_points.map((point) => ({
          name,
          unit,
          tenant,
          value: point.as_double ?? Number(point.as_int),
          atMs: Number(BigInt(point.time_unix_nano ?? 0) / 1_000_000n),
          attributes: textOf(point.attributes),
        })),
      )
      .filter((point) => point !== undefined);
  });
}

type Take = (body: Buffer, authorization: string) => Buffer;

/** Takes in; throws the status to refuse with. */
function createTake(collector: TestCollector): Take {
  const root = loadRoot();
  const request = root.lookupType(`${SERVICE}.ExportMetricsServiceRequest`);
  const response = root.lookupType(`${SERVICE}.ExportMetricsServiceResponse`);
  return (body, authorization) => {
    collector.tokens.push(authorization);
    const { refuse, rejected, words = '' } = collector.faults;
    if (refuse !== undefined) throw refuse;
    const read = request.toObject(request.decode(body), { longs: String }) as Request;
    collector.points.push(...readPoints(read));
    const partial = rejected === undefined ? {} : { partial_success: { rejected_data_points: rejected, error_message: words } };
    return Buffer.from(response.encode(response.fromObject(partial)).finish());
  };
}

interface Pair {
  key: string;
  cert: string;
}

async function serveGrpc(take: Take, { key, cert }: Pair, words: () => string) {
  const server = new Server();
  const same = (bytes: Buffer): Buffer => bytes;
  const path = `/${SERVICE}.MetricsService/Export`;
  const method = { path, requestStream: false, responseStream: false } as const;
  const codec = { requestDeserialize: same, requestSerialize: same, responseDeserialize: same, responseSerialize: same };
  server.addService({ Export: { ...method, ...codec } }, {
    Export(
      call: { request: Buffer; metadata: { get(name: string): unknown[] } },
      answer: (error: object | null, body?: Buffer) => void,
    ) {
      try {
        answer(null, take(call.request, String(call.metadata.get('authorization')[0] ?? '')));
      } catch (code) {
        answer({ code: typeof code === 'number' ? code : status.INTERNAL, details: words() });
      }
    },
  } as never);
  const credentials = ServerCredentials.createSsl(null, [{ private_key: Buffer.from(key), cert_chain: Buffer.from(cert) }]);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { port, close: async () => server.forceShutdown() };
}

async function serveHttps(take: Take, { key, cert }: Pair, words: () => string) {
  const server = createServer({ key, cert }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    try {
      if (request.method !== 'POST' || request.url !== '/v1/metrics') throw 404;
      const body = take(Buffer.concat(parts), request.headers.authorization ?? '');
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(body);
    } catch (code) {
      response.writeHead(typeof code === 'number' ? code : 500).end(words());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function startTestCollector(protocol: 'grpc' | 'http/protobuf'): Promise<TestCollector> {
  const ca = await createRootCa({ commonName: 'collector test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
  const collector: TestCollector = { url: '', ca: ca.certPem, points: [], tokens: [], faults: {}, close: async () => {} };
  const pair = { key: leaf.keyPem, cert: leaf.certPem };
  const serve = protocol === 'grpc' ? serveGrpc : serveHttps;
  const { port, close } = await serve(createTake(collector), pair, () => collector.faults.words ?? '');
  collector.url = `https://127.0.0.1:${port}`;
  collector.close = close;
  return collector;
}
