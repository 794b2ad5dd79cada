import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPORT_REQUESTS } from '@svc/contracts/otlp/descriptor';
import protobuf from 'protobufjs';
import 'protobufjs/ext/descriptor.js';
import type { Signal } from './index.ts';

/**
 * The descriptors of opentelemetry-proto 1.45.2 from PyPI (made by protoc from the .proto files of the OpenTelemetry project), as one
 * FileDescriptorSet.
 */
export const DESCRIPTOR_FILE = join(import.meta.dirname, 'fixtures', 'opentelemetry-proto.desc');

/** Read by protobufjs: a parser and a table that nobody here wrote. */
const root = protobuf.Root.fromDescriptor(readFileSync(DESCRIPTOR_FILE)).resolveAll();

const services: Record<Signal, string> = { traces: 'trace', logs: 'logs', metrics: 'metrics' };

export const conformingType = (signal: Signal): protobuf.Type =>
  root.lookupType(`opentelemetry.proto.collector.${services[signal]}.v1.${EXPORT_REQUESTS[signal]}`);

export const lookupType = (fullName: string): protobuf.Type => root.lookupType(fullName);

/** Plain objects, 64-bit numbers as text, ids and bytes as base64. */
export function decodeConforming(signal: Signal, bytes: Buffer): Record<string, unknown> {
  const type = conformingType(signal);
  return type.toObject(type.decode(bytes), { longs: String, bytes: String });
}

export function encodeConforming(signal: Signal, request: Record<string, unknown>): Buffer {
  const type = conformingType(signal);
  return Buffer.from(type.encode(type.fromObject(request)).finish());
}
