import { describe, expect, it } from 'vitest';
import { OtlpFault, type Signal, walk } from './index.ts';
import { encodeConforming } from './test-conforming.ts';

const nowMs = Date.UTC(2026, 10, 21);
const nowNs = String(BigInt(nowMs) * 1_000_000n);
const tenant = 'acme';
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

function faultOf(bytes: Buffer, signal: Signal = 'logs'): OtlpFault {
  try {
    walk(signal, bytes, { tenant, nowMs });
  } catch (error) {
    if (error instanceof OtlpFault) return error;
    throw error;
  }
  throw new Error('accepted');
}

/** A request with one log record, which holds these bytes. */
function logOf(record: Buffer): Buffer {
  const wrap = (tag: number, content: Buffer) => Buffer.concat([Buffer.from([tag, content.length]), content]);
  return wrap(10, wrap(18, wrap(18, record)));
}
const walkLog = (record: string) => walk('logs', logOf(hex(record)), { tenant, nowMs });
const faultOfLog = (record: string) => faultOf(logOf(hex(record))).message;

describe('what is not OTLP', () => {
  it.each([
    ['a request that ends within a length', '0a'],
    ['a length over the end', '0a05 1200'],
    ['a length over the end of its message, within the request', '0a02 1205 0a00 0a00'],
    ['a varint that never ends', '0a03 20ffff'],
    ['a fixed number cut short', '0a05 1203 1201 09'],
  ])('is %s', (_, bytes) => {
    expect(faultOf(hex(bytes))).toMatchObject({ kind: 'malformed', message: expect.stringMatching(/cut off or reaches over/) });
  });

  it('is any request cut anywhere but between resources', () => {
    const resource = {
      resource: { attributes: [{ key: 'k', value: { string_value: 'v' } }] },
      scope_logs: [{ log_records: [{}] }],
    };
    const one = encodeConforming('logs', { resource_logs: [resource] });
    const two = encodeConforming('logs', { resource_logs: [resource, resource] });
    for (let length = 1; length < two.length; length += 1) {
      if (length !== one.length) expect(faultOf(two.subarray(0, length)).kind).toBe('malformed');
    }
    expect(walk('logs', two.subarray(0, one.length), { tenant, nowMs }).items).toBe(1);
  });

  it('is a tag or length of over 32 bits and a varint of over 64', () => {
    expect(faultOf(hex('ffffffff1f00')).message).toMatch(/over 32 bits/);
    expect(faultOf(hex('0affffffff7f')).message).toMatch(/over 32 bits/);
    expect(faultOf(hex('0affffffff0f')).message).toMatch(/cut off/);
    expect(faultOfLog('10ffffffffffffffffff02')).toMatch(/over 64 bits/);
    expect(walkLog('10ffffffffffffffffff01').items).toBe(1);
  });

  it('is a field 0, a group or a wire type that does not exist', () => {
    expect(faultOf(hex('0200')).message).toMatch(/number 0/);
    expect(faultOf(hex('a3 06 a4 06')).message).toMatch(/wire type that OTLP does not use/);
    expect(faultOf(hex('0b 0c')).message).toMatch(/wire type that OTLP does not use/);
    expect(faultOf(hex('0e')).message).toMatch(/wire type that OTLP does not use/);
  });

  it.each([
    ['text as a varint', '1801', 'LogRecord.severity_text'],
    ['a varint as text', '1201 41', 'LogRecord.severity_number'],
    ['a time as a varint', '0801', 'LogRecord.time_unix_nano'],
    ['a message as a fixed number', '2d 00000000', 'LogRecord.body'],
    ['an id as a fixed number', '49 0000000000000000', 'LogRecord.trace_id'],
  ])('is %s', (_, record, field) => {
    expect(faultOfLog(record)).toBe(`The request is not OTLP: ${field} has the wrong wire type.`);
  });

  it.each(['c0af', 'eda080', 'f4908080', 'f08080bf', 'ff', '80', 'e282', 'c3'])('is text of the bytes %s', (bytes) => {
    const length = (bytes.length / 2).toString(16).padStart(2, '0');
    expect(faultOfLog(`1a${length}${bytes}`)).toBe('The request is not OTLP: LogRecord.severity_text is not UTF-8.');
  });

  it('is an id that is neither empty nor of its length', () => {
    for (const length of [1, 8, 15, 17, 32]) {
      expect(faultOfLog(`4a${length.toString(16).padStart(2, '0')}${'01'.repeat(length)}`)).toMatch(/trace_id has a length/);
    }
    expect(faultOfLog(`52 07 ${'01'.repeat(7)}`)).toMatch(/span_id has a length/);
    expect(walkLog(`4a 00 52 08 ${'01'.repeat(8)} 4a 10 ${'01'.repeat(16)}`).items).toBe(1);
  });

  it('is a metric that is two kinds at once, or packed numbers that are no whole number of numbers', () => {
    const metric = (...bytes: number[]) => Buffer.from([10, bytes.length + 4, 18, bytes.length + 2, 18, bytes.length, ...bytes]);
    expect(faultOf(metric(0x2a, 0, 0x3a, 0), 'metrics').message).toMatch(/Metric.data is given in two kinds/);
    expect(walk('metrics', metric(0x2a, 0, 0x2a, 0), { tenant, nowMs }).items).toBe(0);
    expect(faultOf(metric(0x4a, 5, 10, 3, 0x32, 1, 0), 'metrics').message).toMatch(/bucket_counts has a length/);
  });
});

it('takes values nested 64 messages deep, and refuses deeper ones however they are made', () => {
  const nested = (levels: number) => {
    let value = Buffer.from([10, 0]);
    for (let i = 0; i < levels; i += 1) {
      for (const tag of [10, 42]) {
        const length = value.length < 128 ? [value.length] : [(value.length & 127) | 128, value.length >> 7];
        value = Buffer.concat([Buffer.from([tag, ...length]), value]);
      }
    }
    return encodeLong(18, encodeLong(18, encodeLong(42, value)));
  };
  const encodeLong = (tag: number, value: Buffer) =>
    Buffer.concat([Buffer.from([tag, (value.length & 127) | 128, value.length >> 7]), value]);
  const request = (levels: number) => encodeLong(10, nested(levels));
  // Request, ResourceLogs, ScopeLogs, LogRecord and the body are five; each array is two more.
  expect(walk('logs', request(29), { tenant, nowMs }).items).toBe(1);
  expect(faultOf(request(30))).toMatchObject({ kind: 'too_deep', resourceIndex: 0 });
  expect(faultOf(request(2000)).kind).toBe('too_deep');
});

describe('what protobuf lets a sender do', () => {
  it('is unknown fields, fields in any order, tags and lengths on more bytes than they need', () => {
    expect(walkLog('a2060161 a00601 a1060102030405060708 a50601020304').items).toBe(1);
    expect(walk('logs', hex('8a00 8900 9200 848000 1200 1200'), { tenant, nowMs }).items).toBe(2);
  });

  it('is a message given twice, which is one, and the last of a number given twice', () => {
    expect(walkLog('2a 03 0a 01 61 2a 02 10 01').items).toBe(1);
    const time = (ms: number) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(ms) * 1_000_000n);
      return `09${bytes.toString('hex')}`;
    };
    expect(walkLog(time(0) + time(nowMs))).toMatchObject({ items: 1, rejected: 0, minTs: nowMs });
    expect(walkLog(time(nowMs) + time(1)).rejected).toBe(1);
  });

  it('is packed and unpacked numbers, together in one point', () => {
    // Histogram point: bucket_counts packed (2), then one by itself; explicit_bounds by itself.
    const point = hex(`32 10 ${'00'.repeat(16)} 31 ${'00'.repeat(8)} 39 ${'00'.repeat(8)}`);
    const wrap = (tag: number, content: Buffer) => Buffer.concat([Buffer.from([tag, content.length]), content]);
    const body = wrap(10, wrap(18, wrap(18, wrap(0x4a, wrap(10, point)))));
    expect(walk('metrics', body, { tenant, nowMs }).items).toBe(1);
  });

  it('is 10,000 attributes, and NaN and infinities', () => {
    const attributes = Array.from({ length: 10_000 }, (_, i) => ({
      key: `k${i}`,
      value: { double_value: [Number.NaN, Infinity, -Infinity][i % 3] },
    }));
    const body = encodeConforming('logs', { resource_logs: [{ scope_logs: [{ log_records: [{ attributes }] }] }] });
    expect(walk('logs', body, { tenant, nowMs }).items).toBe(1);
  });
});

describe('the tenant of a resource', () => {
  const attribute = (value: unknown) => ({ key: 'svc.tenant.id', value });
  const requestOf = (...attributes: unknown[][]) =>
    encodeConforming('traces', { resource_spans: attributes.map((list) => ({ resource: { attributes: list } })) });
  const own = attribute({ string_value: tenant });

  it('is kept when it is the own one', () => {
    const body = requestOf([own], [{ key: 'service.name', value: { string_value: 'a' } }, own]);
    expect(walk('traces', body, { tenant, nowMs }).bytes).toBe(body);
  });

  it.each([
    ['another', { string_value: 'other' }],
    ['a longer one', { string_value: 'acme2' }],
    ['a shorter one', { string_value: 'acm' }],
    ['an empty one', { string_value: '' }],
    ['a number', { int_value: 1 }],
    ['bytes', { bytes_value: Buffer.from(tenant) }],
    ['a list of the own one', { array_value: { values: [{ string_value: tenant }] } }],
    ['no kind of value', {}],
    ['absent', undefined],
  ])('is refused with the index of its resource when it is %s', (_, value) => {
    expect(faultOf(requestOf([own], [], [attribute(value)], [own]), 'traces')).toMatchObject({
      kind: 'wrong_tenant',
      resourceIndex: 2,
      message: "The resource at index 2 names a tenant in svc.tenant.id that is not the token's.",
    });
  });

  it('is refused when it is given twice, in one attribute or two, or with a Resource given twice', () => {
    expect(faultOf(requestOf([own], [own, own]), 'traces')).toMatchObject({ kind: 'ambiguous_tenant', resourceIndex: 1 });
    const resource = (content: Buffer) => Buffer.concat([Buffer.from([10, content.length + 2, 10, content.length]), content]);
    const pair = (...parts: string[]) => {
      const content = Buffer.concat(parts.map((part) => hex(part)));
      return resource(Buffer.concat([Buffer.from([10, content.length]), content]));
    };
    const key = `0a0d${Buffer.from('svc.tenant.id').toString('hex')}`;
    const value = `1206 0a04${Buffer.from(tenant).toString('hex')}`;
    expect(walk('logs', pair(key, value), { tenant, nowMs }).items).toBe(0);
    expect(walk('logs', pair(value, key), { tenant, nowMs }).items).toBe(0);
    expect(faultOf(pair(key, '0a0161', value))).toMatchObject({ kind: 'ambiguous_tenant', resourceIndex: 0 });
    expect(faultOf(pair('0a0161', key, value)).kind).toBe('ambiguous_tenant');
    expect(faultOf(pair(key, value, value)).kind).toBe('ambiguous_tenant');
    // Two values in one AnyValue: the last one would count, which is not told apart here.
    expect(faultOf(pair(key, `120c 0a0178${'0a04'}${Buffer.from(tenant).toString('hex')}`.replace('120c', '1209'))).kind).toBe(
      'wrong_tenant',
    );
    expect(faultOf(hex('0a04 0a00 0a00'))).toMatchObject({
      kind: 'ambiguous_tenant',
      message: 'The resource at index 0 gives its Resource twice.',
    });
  });

  it('does not count where only records name one', () => {
    const body = encodeConforming('traces', {
      resource_spans: [{ scope_spans: [{ spans: [{ attributes: [attribute({ string_value: 'other' })] }] }] }],
    });
    expect(walk('traces', body, { tenant, nowMs }).bytes.length).toBeGreaterThan(body.length);
  });

  it('is stamped on so many resources only that a small request does not become a large one', () => {
    const flood = Buffer.alloc(2 * 65_537);
    for (let i = 0; i < flood.length; i += 2) flood[i] = 10;
    expect(faultOf(flood).kind).toBe('too_large');
    expect(walk('logs', flood.subarray(2), { tenant, nowMs }).bytes.length).toBeLessThan(4_000_000);
  });
});

describe('the time of a record', () => {
  const day = 86_400_000;
  const spanAt = (time: string) =>
    encodeConforming('traces', { resource_spans: [{ scope_spans: [{ spans: [{ start_time_unix_nano: time }] }] }] });
  const at = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);

  it('may be 15 days old and one hour ahead, to the millisecond', () => {
    for (const ms of [nowMs, nowMs - 15 * day, nowMs + 3_600_000]) {
      expect(walk('traces', spanAt(at(ms)), { tenant, nowMs })).toMatchObject({
        items: 1,
        rejected: 0,
        rejectReason: '',
        minTs: ms,
        maxTs: ms,
      });
    }
    for (const ms of [0, nowMs - 15 * day - 1, nowMs + 3_600_001, Date.UTC(2100, 0), 18_446_744_073_709]) {
      expect(walk('traces', spanAt(at(ms)), { tenant, nowMs })).toMatchObject({ items: 1, rejected: 1, minTs: Infinity });
    }
  });

  it('may be 30 days old for points of each kind', () => {
    const point = (ms: number) => ({ data_points: [{ time_unix_nano: at(ms) }, { time_unix_nano: nowNs }] });
    const metrics = (ms: number) =>
      ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'].map((kind) => ({ name: kind, [kind]: point(ms) }));
    const body = (ms: number) =>
      encodeConforming('metrics', { resource_metrics: [{ scope_metrics: [{ metrics: metrics(ms) }] }] });
    expect(walk('metrics', body(nowMs - 30 * day), { tenant, nowMs })).toMatchObject({ items: 10, rejected: 0 });
    expect(walk('metrics', body(nowMs - 30 * day - 1), { tenant, nowMs })).toMatchObject({
      items: 10,
      rejected: 5,
      rejectReason: '5 data points are older than 30 days or more than one hour ahead.',
    });
  });

  it('of a log record is its own, else when it was observed, else now', () => {
    const log = (record: object) => encodeConforming('logs', { resource_logs: [{ scope_logs: [{ log_records: [record] }] }] });
    const times = (record: object) => walk('logs', log(record), { tenant, nowMs });
    expect(times({ time_unix_nano: at(nowMs - 5), observed_time_unix_nano: '1' })).toMatchObject({
      rejected: 0,
      minTs: nowMs - 5,
    });
    expect(times({ observed_time_unix_nano: at(nowMs - 7) })).toMatchObject({ rejected: 0, minTs: nowMs - 7 });
    expect(times({})).toMatchObject({ rejected: 0, minTs: nowMs });
    expect(times({ time_unix_nano: '1', observed_time_unix_nano: nowNs }).rejected).toBe(1);
  });
});
