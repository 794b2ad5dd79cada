import { expect, test } from 'vitest';
import { WireReader } from '../wire-reader.ts';
import { MetricNames, type MetricOnWire } from './names.ts';

const SUM = 58;
const HISTOGRAM = 74;
const DELTA = 1;
const CUMULATIVE = 2;

/** A metric as it lies in a request, its unit behind its name. */
function onWire(name: string, unit: string, rest: Partial<MetricOnWire> = {}) {
  const reader = new WireReader();
  const [first, second] = [Buffer.from(name), Buffer.from(unit)];
  reader.open(Buffer.concat([Buffer.from('before'), first, second]));
  const range = (begin: number, length: number) => ({ begin, end: begin + length, tag: 0 });
  const places = { name: range(6, first.length), unit: range(6 + first.length, second.length) };
  return { reader, sent: { ...places, tag: SUM, temporality: CUMULATIVE, monotonic: true, ...rest } };
}

const names = new MetricNames({ application: 30, host: 7, flow: 3 });
const of = (...wire: Parameters<typeof onWire>) => {
  const { reader, sent } = onWire(...wire);
  return names.of(reader, sent);
};

test('a metric that comes again is the one that is known, wherever it lies', () => {
  const named = { metric: 'http_requests_total', otelName: 'http.requests', unit: '{request}', kind: 'sum', keepDays: 30 };
  expect(of('http.requests', '{request}')).toMatchObject(named);
  const known = of('http.requests', '{request}');
  expect(known).toMatchObject(named);
  expect(of('http.requests', '{request}')).toBe(known);
});

test('what differs in its unit, its kind or where its name ends is another one', () => {
  const variants = [
    of('size', 'By'),
    of('sizeB', 'y'),
    of('size', 'By', { monotonic: false }),
    of('size', 'By', { temporality: DELTA }),
    of('size', 'By', { tag: HISTOGRAM, monotonic: false }),
    of('size', 'By', { tag: HISTOGRAM, monotonic: false, temporality: DELTA }),
  ];
  expect(variants.map(({ kind, otelName, unit }) => [otelName, unit, kind].join(' '))).toEqual([
    'size By sum',
    'sizeB y sum',
    'size By updown',
    'size By delta',
    'size By histogram',
    'size By delta_histogram',
  ]);
});

test('a name of any length is cut, and not remembered where it is long', () => {
  const long = 'x'.repeat(2000);
  expect(of(long, '1').otelName).toHaveLength(1024);
  expect(of(`${long}y`, '1')).not.toBe(of(`${long}y`, '1'));
});

test('names without end leave room for those to come', () => {
  const few = new MetricNames({ application: 30, host: 7, flow: 3 });
  for (let i = 0; i < 20_100; i++) {
    const { reader, sent } = onWire(`m${i}`, '');
    expect(few.of(reader, sent).otelName).toBe(`m${i}`);
  }
});
