import { expect, test } from 'vitest';
import { encodeRequest } from '../../../server/src/features/otlp-store/test-requests.ts';
import { type Signal, walk } from '../walk/index.ts';
import { countsOf, createLogBuilder, createMetricBuilder, createSpanBuilder } from './index.ts';

const nowMs = Date.now();
const tenant = 'acme';
const BUILDERS = {
  traces: createSpanBuilder,
  logs: createLogBuilder,
  metrics: () => createMetricBuilder({ application: 30, host: 30, flow: 30 }),
};
const SIGNALS = Object.keys(BUILDERS) as Signal[];
const TIME = String(BigInt(nowMs) * 1_000_000n);

interface Attribute {
  key: string;
  value: { stringValue: string };
}

/** So many attributes; one of them the tenant's where a place is named, and every fifth key twice where they repeat. */
function attributesOf(count: number, { tenantAt, repeats = false }: { tenantAt?: number; repeats?: boolean } = {}): Attribute[] {
  const attributes = Array.from({ length: count }, (_, i) => ({
    key: repeats && i % 5 === 4 ? `key.${i - 1}` : `key.${i}`,
    // Longer than the length of a plain text, which has one byte.
    value: { stringValue: i % 3 === 0 ? 'x'.repeat(200) : `${i}` },
  }));
  if (tenantAt !== undefined) attributes.splice(tenantAt, 0, { key: 'svc.tenant.id', value: { stringValue: tenant } });
  return attributes;
}

interface Attributes {
  resource: Attribute[];
  scope: Attribute[];
  record: Attribute[];
  inner: Attribute[];
}

/** Three records, and one more behind a second resource: what reads on in the middle of a value loses those. */
function requestOf(signal: Signal, { resource, scope, record, inner }: Attributes): object {
  const records = { traces: spansOf, logs: recordsOf, metrics: metricsOf }[signal]({ record, inner });
  const name = { traces: 'Spans', logs: 'Logs', metrics: 'Metrics' }[signal];
  const list = { traces: 'spans', logs: 'logRecords', metrics: 'metrics' }[signal];
  const one = (attributes: Attribute[], of: object[]) => ({
    resource: { attributes },
    [`scope${name}`]: [{ scope: { name: 'shop', attributes: scope }, [list]: of }],
  });
  return { [`resource${name}`]: [one(resource, records), one([], records.slice(0, 1))] };
}

type Lists = Pick<Attributes, 'record' | 'inner'>;

const spansOf = ({ record, inner }: Lists): object[] =>
  [1, 2, 3].map((number) => ({
    ...{ name: `GET /${number}`, startTimeUnixNano: TIME, endTimeUnixNano: TIME, attributes: record },
    events: [
      { timeUnixNano: TIME, name: 'one', attributes: inner },
      { timeUnixNano: TIME, name: 'two' },
    ],
    links: [{ attributes: inner }, { traceState: 'a=b' }],
  }));
const recordsOf = ({ record }: Lists): object[] =>
  [1, 2, 3].map((number) => ({ timeUnixNano: TIME, body: { stringValue: `${number}` }, attributes: record }));
const metricsOf = ({ record, inner }: Lists): object[] =>
  [1, 2, 3].map((number) => ({
    name: `orders.${number}`,
    metadata: inner,
    gauge: {
      dataPoints: [
        {
          timeUnixNano: TIME,
          asDouble: number,
          attributes: record,
          exemplars: [{ timeUnixNano: TIME, asDouble: 1, filteredAttributes: inner }],
        },
      ],
    },
  }));

/** Acknowledged of the request, and what blocks have of it. */
function build(signal: Signal, request: object) {
  const walked = walk(signal, encodeRequest(signal, request), { tenant, nowMs });
  const builder = BUILDERS[signal]();
  builder.add({
    tenant,
    bytes: walked.bytes,
    at: nowMs,
    partition: 0,
    offsetLow: 1,
    offsetHigh: 0,
    large: true,
    stored: undefined,
  });
  const { blocks, counts } = builder.finish();
  const table = { traces: 'spans', logs: 'logs', metrics: 'metric_points' }[signal];
  const rows = blocks.filter((block) => block.table === table).reduce((sum, block) => sum + block.rows, 0);
  const { truncated, rows: counted } = countsOf(counts, tenant);
  return { acknowledged: walked.items - walked.rejected, rows, counted, isCut: truncated > 0 };
}

const none: Attributes = { resource: [], scope: [], record: [], inner: [] };
const COUNTS = [0, 1, 126, 127, 128, 129, 130, 300];

test.each(SIGNALS)(
  'every acknowledged record of %s is built, whatever number of attributes it has and wherever the tenant stands',
  (signal) => {
    for (const place of ['resource', 'scope', 'record', 'inner'] as const)
      for (const count of COUNTS)
        for (const repeats of [false, true])
          for (const tenantAt of place === 'resource' ? [undefined, 0, count >> 1, count] : [undefined, 0]) {
            const attributes = attributesOf(count, { repeats, ...(tenantAt !== undefined && { tenantAt }) });
            const { acknowledged, rows, counted } = build(signal, requestOf(signal, { ...none, [place]: attributes }));
            expect({ place, count, repeats, tenantAt, rows, counted }).toEqual({
              ...{ place, count, repeats, tenantAt },
              ...{ rows: acknowledged, counted: acknowledged },
            });
          }
  },
);

test.each(SIGNALS)('a record of %s is marked as cut from the first attribute beyond the bound on', (signal) => {
  const isCut = (count: number) => build(signal, requestOf(signal, { ...none, record: attributesOf(count) })).isCut;
  expect([126, 127, 128, 129, 130].map(isCut)).toEqual([false, false, false, true, true]);
});

test.each(['traces', 'logs'] as const)(
  'the tenant that the receiver stamps takes no place of 128 attributes of a resource of %s',
  (signal) => {
    const isCut = (count: number) => build(signal, requestOf(signal, { ...none, resource: attributesOf(count) })).isCut;
    expect([127, 128, 129].map(isCut)).toEqual([false, false, true]);
  },
);
