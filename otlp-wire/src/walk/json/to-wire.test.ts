import { EXPORT_REQUESTS, ID_BYTES, OTLP_MESSAGES } from '@svc/contracts/otlp/descriptor';
import { describe, expect, it } from 'vitest';
import { jsonToWire, OtlpFault, type Signal, walk } from '../index.ts';
import { conformingType, decodeConforming } from '../test-conforming.ts';
import { makeRequest, type Random, seedRandom } from '../test-requests.ts';

// Node has it; TypeScript's es2024 does not.
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
const nowMs = Date.UTC(2026, 10, 21);
const toWire = (signal: Signal, json: unknown) =>
  jsonToWire(signal, Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)));

function faultOf(signal: Signal, json: unknown) {
  try {
    toWire(signal, json);
  } catch (error) {
    if (error instanceof OtlpFault) return error;
    throw error;
  }
  throw new Error('accepted');
}

/** A request as OTLP/JSON in one of the forms that a sender may choose. */
function toJson(message: Record<string, unknown>, type: string, random: Random): Record<string, unknown> {
  const json: [string, unknown][] = [];
  for (const [, name, jsonName, fieldType] of OTLP_MESSAGES[type] ?? []) {
    const value = message[name];
    if (value === undefined || value === null) continue;
    const one = (part: unknown) => toJsonValue(part, { name, fieldType, random });
    json.push([jsonName, Array.isArray(value) ? value.map(one) : one(value)]);
  }
  if (random.chance(0.1)) json.unshift(['notOfOtlp', { deep: [1, { a: null }] }]);
  return Object.fromEntries(json);
}

interface Place {
  name: string;
  fieldType: string;
  random: Random;
}

function toJsonValue(value: unknown, { name, fieldType, random }: Place): unknown {
  if (fieldType in OTLP_MESSAGES) return toJson(value as Record<string, unknown>, fieldType, random);
  if (Buffer.isBuffer(value)) {
    if (name in ID_BYTES) return random.chance(0.5) ? value.toString('hex') : value.toString('hex').toUpperCase();
    return value.toString(random.chance(0.5) ? 'base64' : 'base64url');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return rawJSON('-0');
  if (/64$/.test(fieldType) && random.chance(0.3)) return rawJSON(String(value));
  return value;
}

describe.each<Signal>(['traces', 'logs', 'metrics'])('%s as JSON', (signal) => {
  it('come to the same as in protobuf, whatever forms of numbers, ids and bytes the sender chose', () => {
    const random = seedRandom(5);
    const type = conformingType(signal);
    for (let round = 0; round < 150; round += 1) {
      const request = makeRequest(signal, random, { nowMs });
      const wire = toWire(signal, toJson(request, EXPORT_REQUESTS[signal], random));
      // Compared as bytes that one library wrote: fields in the same order, all defaults alike.
      const expected = type.encode(type.decode(type.encode(type.fromObject(request)).finish())).finish();
      expect(Buffer.from(type.encode(type.decode(wire)).finish()).equals(expected)).toBe(true);
      expect(walk(signal, wire, { tenant: 'acme', nowMs }).bytes.length).toBeGreaterThanOrEqual(wire.length);
    }
  });
});

const spanJson = (span: string) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`;
const spanOf = (span: string) => {
  const request = decodeConforming('traces', toWire('traces', spanJson(span))) as {
    resource_spans: { scope_spans: { spans: Record<string, unknown>[] }[] }[];
  };
  return request.resource_spans[0]?.scope_spans[0]?.spans[0];
};

it('keeps each digit of a time, as number or as text, pretty-printed or not', () => {
  for (const time of ['1763700000123456789', '"1763700000123456789"', ' 1763700000123456789 ', '\n1763700000123456789']) {
    expect(spanOf(`{"startTimeUnixNano":${time}}`)).toEqual({ start_time_unix_nano: '1763700000123456789' });
  }
  expect(spanOf('{"startTimeUnixNano":1e3,"endTimeUnixNano":"18446744073709551615"}')).toEqual({
    start_time_unix_nano: '1000',
    end_time_unix_nano: '18446744073709551615',
  });
});

it('takes enums as numbers and names, null as absent, and leaves out what it does not know', () => {
  expect(
    spanOf('{"kind":"SPAN_KIND_SERVER","status":{"code":2},"name":null,"attributes":null,"trace_id":5,"links":[],"x":{"y":[]}}'),
  ).toEqual({
    kind: 2,
    status: { code: 2 },
  });
  expect(spanOf('{"kind":77}')).toEqual({ kind: 77 });
  expect(toWire('logs', '{}').length).toBe(0);
});

describe('what is refused, with its place and nothing that was sent', () => {
  const place = 'resourceSpans[0].scopeSpans[0].spans[0]';
  it.each([
    ['{"traceId":"zz"}', `${place}.traceId is not hexadecimal of the right length`],
    ['{"traceId":"W47/95gDgQPSabYzgT/GDA=="}', `${place}.traceId is not hexadecimal of the right length`],
    ['{"spanId":"0102"}', `${place}.spanId is not hexadecimal of the right length`],
    ['{"name":5}', `${place}.name is not a well-formed string`],
    ['{"name":12345678901234567}', `${place}.name is not a well-formed string`],
    ['{"name":"\\ud800"}', `${place}.name is not a well-formed string`],
    ['{"kind":"NO_SUCH_KIND"}', `${place}.kind is not one of its numbers or names`],
    ['{"kind":"toString"}', `${place}.kind is not one of its numbers or names`],
    ['{"kind":1.5}', `${place}.kind is not one of its numbers or names`],
    ['{"startTimeUnixNano":-1}', `${place}.startTimeUnixNano is not a whole number of 64 bits without sign`],
    ['{"startTimeUnixNano":18446744073709551616}', `${place}.startTimeUnixNano is not a whole number of 64 bits without sign`],
    ['{"startTimeUnixNano":"soon"}', `${place}.startTimeUnixNano is not a whole number of 64 bits without sign`],
    ['{"startTimeUnixNano":1e400}', `${place}.startTimeUnixNano is not a whole number of 64 bits without sign`],
    ['{"flags":4294967296}', `${place}.flags is not a whole number of 32 bits without sign`],
    ['{"kind":1,"name":"a","kind":1}', `${place}.kind is given twice`],
    ['{"attributes":{}}', `${place}.attributes is not an array`],
    ['{"attributes":[null]}', `${place}.attributes[0] is not an object`],
    ['{"attributes":[{"value":[]}]}', `${place}.attributes[0].value is not an object`],
    ['{"attributes":[{"value":{"boolValue":"true"}}]}', `${place}.attributes[0].value.boolValue is not true or false`],
    ['{"attributes":[{"value":{"bytesValue":"a"}}]}', `${place}.attributes[0].value.bytesValue is not base64`],
    ['{"attributes":[{"value":{"bytesValue":"!!"}}]}', `${place}.attributes[0].value.bytesValue is not base64`],
    ['{"attributes":[{"value":{"doubleValue":1e999}}]}', `${place}.attributes[0].value.doubleValue is not a number`],
    ['{"attributes":[{"value":{"doubleValue":"0x10"}}]}', `${place}.attributes[0].value.doubleValue is not a number`],
    [
      '{"attributes":[{"value":{"intValue":1,"boolValue":true}}]}',
      `${place}.attributes[0].value.boolValue stands beside another kind of the same value`,
    ],
  ])('%s', (span, what) => {
    expect(faultOf('traces', spanJson(span))).toMatchObject({
      kind: 'malformed',
      message: `The request is not OTLP: ${what}.`,
      resourceIndex: 0,
    });
  });

  it('a body that is no JSON, not UTF-8, or no object', () => {
    for (const text of ['', '{', '{"resourceSpans":[}', '\u0000', '{"a":1}{}']) {
      expect(faultOf('traces', text).message).toBe('The request is not JSON.');
    }
    expect(() => jsonToWire('traces', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow('not JSON');
    for (const text of ['null', '[]', '1', '"a"'])
      expect(faultOf('traces', text).message).toBe('The request is not OTLP: the body is not an object.');
  });

  it('values nested too deep, in what is read and in what is left out', () => {
    const nested = (levels: number) => `${'{"arrayValue":{"values":['.repeat(levels)}{}${']}}'.repeat(levels)}`;
    expect(spanOf(`{"attributes":[{"key":"a","value":${nested(28)}}]}`)).toBeDefined();
    expect(faultOf('traces', spanJson(`{"attributes":[{"key":"a","value":${nested(40)}}]}`)).kind).toBe('too_deep');
    expect(faultOf('traces', spanJson(`{"attributes":[{"key":"a","value":${nested(100_000)}}]}`)).kind).toBe('too_deep');
    expect(() => toWire('traces', `{"unknown":12345678901234567,"more":${'['.repeat(500_000)}${']'.repeat(500_000)}}`)).toThrow(
      OtlpFault,
    );
  });
});

it('takes and refuses as JSON what JSON.parse does', () => {
  const random = seedRandom(17);
  const seeds = [
    '{"a":[1,-0,2.5e+3,-1E-9,12345678901234567890],"b":{"c":"x\\n\\u00e9\\"","d":null},"e":[true,false,[],{}]}',
    ' [ "ü" , "\\ud83d\\ude00" , 0 , -1.0 ] ',
    '"plain"',
  ];
  const pieces = [
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '0',
    '1',
    '-',
    '.',
    'e',
    '+',
    'null',
    'tru',
    ' ',
    '\n',
    '\u001f',
    '\\u12',
    'é',
  ];
  const outcomes = { taken: 0, refused: 0 };
  for (let round = 0; round < 20_000; round += 1) {
    let text = random.pick(seeds);
    for (let count = random.below(4); count > 0; count -= 1) {
      const at = random.below(text.length);
      text = text.slice(0, at) + (random.chance(0.6) ? random.pick(pieces) : '') + text.slice(at + random.below(3));
    }
    let isJson = true;
    try {
      JSON.parse(`{"unknown":${text}}`);
    } catch {
      isJson = false;
    }
    if (isJson) expect(toWire('logs', `{"unknown":${text}}`).length, text).toBe(0);
    else expect(faultOf('logs', `{"unknown":${text}}`).message, text).toBe('The request is not JSON.');
    outcomes[isJson ? 'taken' : 'refused'] += 1;
  }
  expect(Math.min(outcomes.taken, outcomes.refused)).toBeGreaterThan(1000);
});
