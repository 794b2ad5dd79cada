import type protobuf from 'protobufjs';
import type { Signal } from './index.ts';
import { conformingType } from './test-conforming.ts';

/** The same seed gives the same numbers. */
export interface Random {
  unit: () => number;
  below: (limit: number) => number;
  pick: <T>(values: readonly T[]) => T;
  chance: (share: number) => boolean;
}

export function seedRandom(seed: number): Random {
  let state = seed | 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(unit() * limit);
  return {
    unit,
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (share) => unit() < share,
  };
}

const texts = ['', 'a', 'service.name', 'Straße', '日本語', '🜁', 'x'.repeat(130), '\u0000', 'a\nb', '\uffff'];
const longs = ['0', '1', '-1', '127', '128', '9007199254740993', '-9223372036854775808', '9223372036854775807'];
const unsignedLongs = ['0', '1', '300', '4294967296', '18446744073709551615'];
const doubles = [0, -0, 1.5, -1e308, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const idBytes: Record<string, number> = { trace_id: 16, span_id: 8, parent_span_id: 8 };

export interface RequestOptions {
  nowMs: number;
  /** Own tenant on some resources; without it, on none. */
  tenant?: string;
}

/** A valid request with every kind of field, some absent, as protobufjs takes it; record times are now, 1970, 2100 or near the bounds. */
export function makeRequest(signal: Signal, random: Random, options: RequestOptions): Record<string, unknown> {
  const request = makeMessage(conformingType(signal), { random, depth: 0, ...options });
  for (const part of Object.values(request).flat() as { resource?: { attributes?: unknown[] } }[]) {
    if (options.tenant === undefined || !part.resource || random.chance(0.5)) continue;
    const attribute = { key: 'svc.tenant.id', value: { string_value: options.tenant } };
    const attributes = part.resource.attributes ?? [];
    attributes.splice(random.below(attributes.length + 1), 0, attribute);
    part.resource.attributes = attributes;
  }
  return request;
}

interface Context extends RequestOptions {
  random: Random;
  depth: number;
}

function makeMessage(type: protobuf.Type, context: Context): Record<string, unknown> {
  const { random } = context;
  const below = { ...context, depth: context.depth + 1 };
  const message: Record<string, unknown> = {};
  const chosen = new Map(type.oneofsArray.map((oneof) => [oneof.name, random.pick(oneof.fieldsArray).name]));
  for (const field of type.fieldsArray) {
    field.resolve();
    const isOneof = field.partOf !== null && !field.partOf.name.startsWith('_');
    if (isOneof ? chosen.get(field.partOf?.name ?? '') !== field.name : random.chance(context.depth < 3 ? 0.05 : 0.3)) continue;
    if (!field.repeated) message[field.name] = makeValue(field, below);
    else message[field.name] = Array.from({ length: random.below(context.depth > 6 ? 2 : 4) }, () => makeValue(field, below));
  }
  return message;
}

function makeValue(field: protobuf.Field, context: Context): unknown {
  const { random, nowMs } = context;
  const { resolvedType } = field;
  if (resolvedType && 'fieldsArray' in resolvedType) {
    return context.depth > 14 ? {} : makeMessage(resolvedType, context);
  }
  if (resolvedType) return random.pick(Object.values(resolvedType.values));
  if (field.name.endsWith('time_unix_nano')) {
    const days = random.pick([0, 0, 0, -14.9, -15.1, -29.9, -30.1, 0.04, 0.05]);
    return random.pick([String(BigInt(Math.round(nowMs + days * 86_400_000)) * 1_000_000n), '0', '4102444800000000000']);
  }
  switch (field.type) {
    case 'string':
      return random.pick(texts);
    case 'bytes': {
      const length = idBytes[field.name];
      return Buffer.from(
        Array.from({ length: length === undefined ? random.below(40) : random.pick([0, length]) }, () => random.below(256)),
      );
    }
    case 'bool':
      return random.chance(0.5);
    case 'double':
      return random.pick(doubles);
    case 'int64':
    case 'sfixed64':
      return random.pick(longs);
    case 'uint64':
    case 'fixed64':
      return random.pick(unsignedLongs);
    case 'uint32':
    case 'fixed32':
      return random.pick([0, 1, 300, 4_294_967_295]);
    default:
      return random.pick([0, 1, -1, 2_147_483_647, -2_147_483_648]);
  }
}
