import { PbfReader, PbfWriter } from 'pbf';
import * as codec from '../generated/agent-codec.js';

/** The messages of the service LinkTest of proto/agent.proto as they look in code. */
export interface LoadChunk {
  wanted_bytes: number;
  taken_bytes: number;
  payload: Uint8Array;
}

export interface Echo {
  sequence: number;
}

/** What one load may carry; a device stays within, the server ends a stream that goes beyond. */
export const LINK_TEST_BOUNDS = {
  /** Payload each way on one stream. */
  loadBytes: 5_000_000,
  chunkBytes: 32_768,
  /** Under way at once each way: more than a queue of some length holds. */
  windowBytes: 1_048_576,
  /** Of one stream. */
  echoes: 600,
  streamMs: 15_000,
  /** Streams of each method that a device opens in an hour. */
  perHour: 12,
} as const;

const bytesOf = (pbf: PbfWriter): Buffer => {
  const bytes = pbf.finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

const encodeLoad = (message: LoadChunk): Buffer => {
  const pbf = new PbfWriter();
  codec.writeLoadChunk(message, pbf);
  return bytesOf(pbf);
};
const encodeEcho = (message: Echo): Buffer => {
  const pbf = new PbfWriter();
  codec.writeEcho(message, pbf);
  return bytesOf(pbf);
};

export const loadChunk = {
  encode: encodeLoad,
  /** Throws on bytes that are no such message. */
  decode: (bytes: Uint8Array): LoadChunk => codec.readLoadChunk(new PbfReader(bytes)) as LoadChunk,
};
export const echo = {
  encode: encodeEcho,
  /** Throws on bytes that are no such message. */
  decode: (bytes: Uint8Array): Echo => codec.readEcho(new PbfReader(bytes)) as Echo,
};

const bothWays = <T>(path: string, message: { encode(value: T): Buffer; decode(bytes: Uint8Array): T }) =>
  ({
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: message.encode,
    requestDeserialize: message.decode,
    responseSerialize: message.encode,
    responseDeserialize: message.decode,
  }) as const;

/** In the shape that @grpc/grpc-js takes, for client and server alike. */
export const LINK_TEST_SERVICE = {
  load: bothWays('/svc.agent.v1.LinkTest/Load', loadChunk),
  echo: bothWays('/svc.agent.v1.LinkTest/Echo', echo),
} as const;
