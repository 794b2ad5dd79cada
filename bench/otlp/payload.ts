import {
  bytesField,
  doubleField,
  fixed32Field,
  fixed64Field,
  messageField,
  packedDoublesField,
  packedFixed64Field,
  varintField,
} from './wire-writer.ts';

export type Signal = 'traces' | 'logs' | 'metrics';

export interface PayloadOptions {
  /** Spans, log records or data points. */
  items: number;
  /** Unix ms of the newest record; the others lie within the minute before it. */
  nowMs: number;
  /** Put on each resource as svc.tenant.id; without it, the receiver has to stamp. */
  tenant?: string;
  /** The same seed gives the same bytes; another one other ids, values and series. */
  seed?: number;
}

/** One export request as instrumented shop services send it: three resources, 615 B a span, 437 B a log record, 236 B a point. */
export function makePayload(signal: Signal, options: PayloadOptions): Buffer {
  const random = seedRandom(options.seed ?? 1);
  const make = { traces: makeSpan, logs: makeLogRecord, metrics: makeMetrics }[signal];
  const scope = { traces: '@opentelemetry/instrumentation-http', logs: 'pino', metrics: 'app' }[signal];
  return Buffer.concat(
    services.map((_, i) => {
      const count = Math.floor(options.items / 3) + (i < options.items % 3 ? 1 : 0);
      if (count === 0) return Buffer.alloc(0);
      const context = { random, nowNs: BigInt(options.nowMs) * 1_000_000n, count, traceId: random.bytes(16) };
      const records = signal === 'metrics' ? [make(context)] : Array.from({ length: count }, () => make(context));
      return messageField(
        1,
        messageField(1, ...makeResource(random, i, options.tenant)),
        messageField(2, messageField(1, bytesField(1, scope), bytesField(2, '0.207.0')), ...records),
        bytesField(3, 'https://opentelemetry.io/schemas/1.37.0'),
      );
    }),
  );
}

interface Random {
  below: (limit: number) => number;
  unit: () => number;
  pick: <T>(values: readonly T[]) => T;
  bytes: (length: number) => Buffer;
}

interface Context {
  random: Random;
  nowNs: bigint;
  count: number;
  traceId: Buffer;
}

function seedRandom(seed: number): Random {
  let state = seed;
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
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}

const services = ['checkout', 'cart', 'payment'];
const routes = [
  '/api/v1/cart',
  '/api/v1/cart/{id}',
  '/api/v1/checkout',
  '/api/v1/products/{id}',
  '/healthz',
  '/api/v1/users/{id}/orders',
];
const words =
  'request completed failed user order payment gateway timeout retry connection refused cache miss hit inventory updated shipped cart item added removed session expired token invalid upstream latency high database query slow transaction committed rolled back'.split(
    ' ',
  );
const minuteNs = 60_000_000_000n;

type Value = string | number | boolean;

/** A KeyValue; a number that is no integer becomes a double. */
function attribute(field: number, key: string, value: Value): Buffer {
  return messageField(field, bytesField(1, key), messageField(2, anyValue(value)));
}

function anyValue(value: Value): Buffer {
  if (typeof value === 'string') return bytesField(1, value);
  if (typeof value === 'boolean') return varintField(2, value ? 1 : 0);
  return Number.isInteger(value) ? varintField(3, value) : doubleField(4, value);
}

const attributes = (field: number, values: Record<string, Value>) =>
  Object.entries(values).map(([key, value]) => attribute(field, key, value));

function makeResource(random: Random, i: number, tenant: string | undefined): Buffer[] {
  const service = services[i] as string;
  return attributes(1, {
    'service.name': service,
    'service.version': `1.14.${i}`,
    'service.instance.id': random.bytes(16).toString('hex'),
    'deployment.environment.name': 'production',
    'host.name': `ip-10-0-12-${i}`,
    'k8s.pod.name': `${service}-6f7c9d5b8-x2${i}kq`,
    'k8s.namespace.name': 'shop',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '2.1.0',
    ...(tenant === undefined ? {} : { 'svc.tenant.id': tenant }),
  });
}

function makeSpan(context: Context): Buffer {
  const { random, nowNs } = context;
  if (random.below(6) === 0) context.traceId = random.bytes(16);
  const durationNs = BigInt(Math.floor(Math.exp(random.unit() * 8) * 10_000));
  const startNs = nowNs - BigInt(Math.floor(random.unit() * Number(minuteNs))) - durationNs;
  const route = random.pick(routes);
  const status = random.pick([200, 200, 200, 200, 201, 404, 500]);
  const method = random.pick(['GET', 'POST']);
  return messageField(
    2,
    bytesField(1, context.traceId),
    bytesField(2, random.bytes(8)),
    ...(random.below(6) ? [bytesField(4, random.bytes(8))] : []),
    bytesField(5, `${method} ${route}`),
    varintField(6, 1 + random.below(3)),
    fixed64Field(7, startNs),
    fixed64Field(8, startNs + durationNs),
    ...attributes(9, {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': route.replace('{id}', String(random.below(100_000))),
      'url.scheme': 'https',
      'server.address': 'shop.example.com',
      'server.port': 443,
      'client.address': `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
      'user_agent.original': `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/13${random.below(9)}`,
      'network.protocol.version': '1.1',
      'http.response.body.size': random.below(100_000),
      'app.cache.hit': random.below(2) === 1,
      'app.cart.total': random.below(100_000) / 100,
      'enduser.id': `user-${random.below(50_000)}`,
      'thread.name': `worker-${random.below(16)}`,
    }),
    ...(random.below(10) === 0 ? [makeException(startNs + durationNs / 2n)] : []),
    messageField(15, ...(status === 500 ? [bytesField(2, 'internal error'), varintField(3, 2)] : [])),
    fixed32Field(16, 257),
  );
}

const makeException = (timeNs: bigint) =>
  messageField(
    11,
    fixed64Field(1, timeNs),
    bytesField(2, 'exception'),
    ...attributes(3, { 'exception.type': 'TimeoutError', 'exception.message': 'upstream request timed out after 5000ms' }),
  );

const severities = { 5: 'DEBUG', 9: 'INFO', 13: 'WARN', 17: 'ERROR' } as const;

function makeLogRecord({ random, nowNs }: Context): Buffer {
  const timeNs = nowNs - BigInt(Math.floor(random.unit() * Number(minuteNs)));
  const severity = random.pick([9, 9, 9, 9, 5, 13, 17] as const);
  const text = Array.from({ length: 8 + random.below(12) }, () => random.pick(words)).join(' ');
  return messageField(
    2,
    fixed64Field(1, timeNs),
    varintField(2, severity),
    bytesField(3, severities[severity]),
    messageField(5, anyValue(`${text} id=${random.below(1e6)} took=${random.below(5000)}ms`)),
    ...attributes(6, {
      'log.logger': `shop.${random.pick(['http', 'db', 'cache', 'auth'])}`,
      'code.file.path': `src/handlers/${random.pick(['cart', 'order', 'user'])}.ts`,
      'code.line.number': random.below(800),
      'code.function.name': random.pick(['handle', 'process', 'execute']),
      'thread.name': `worker-${random.below(16)}`,
      'http.route': random.pick(routes),
      'enduser.id': `user-${random.below(50_000)}`,
      'request.id': random.bytes(8).toString('hex'),
    }),
    fixed32Field(8, 1),
    bytesField(9, random.bytes(16)),
    bytesField(10, random.bytes(8)),
    fixed64Field(11, timeNs + 1_000_000n),
  );
}

const bounds = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500];

/** Half sums, three tenths gauges, two tenths histograms, 20 points each. */
function makeMetrics(context: Context): Buffer {
  const metrics: Buffer[] = [];
  for (let left = context.count, k = 0; left > 0; left -= 20, k += 1) {
    const shape = shapes[k % shapes.length] as Shape;
    const points = Array.from({ length: Math.min(left, 20) }, () => messageField(1, ...shape.point(context)));
    const name = `app.metric.${k % 60}`;
    metrics.push(
      messageField(
        2,
        bytesField(1, name),
        bytesField(2, `A metric ${k % 60}`),
        bytesField(3, '1'),
        messageField(shape.field, ...points, ...shape.rest),
      ),
    );
  }
  return Buffer.concat(metrics);
}

function pointLabels({ random }: Context): Record<string, Value> {
  return {
    'http.request.method': random.pick(['GET', 'POST']),
    'http.route': random.pick(routes),
    'http.response.status_code': random.pick([200, 404, 500]),
    'server.address': 'shop.example.com',
    state: random.pick(['idle', 'used', 'free', 'wait']),
  };
}

function pointTimes({ random, nowNs }: Context): Buffer[] {
  return [fixed64Field(2, nowNs - 60n * minuteNs), fixed64Field(3, nowNs - BigInt(random.below(60)) * 1_000_000_000n)];
}

interface Shape {
  field: number;
  rest: Buffer[];
  point: (context: Context) => Buffer[];
}

const cumulative = varintField(2, 2);

const gauge: Shape = {
  field: 5,
  rest: [],
  point: (context) => [
    ...pointTimes(context),
    doubleField(4, context.random.unit() * 100),
    ...attributes(7, pointLabels(context)),
  ],
};

const sum: Shape = {
  field: 7,
  rest: [cumulative, varintField(3, 1)],
  point: (context) => [
    ...pointTimes(context),
    fixed64Field(6, BigInt(context.random.below(1e6))),
    ...attributes(7, pointLabels(context)),
  ],
};

const histogram: Shape = {
  field: 9,
  rest: [cumulative],
  point(context) {
    const counts = Array.from({ length: bounds.length + 1 }, () => context.random.below(100));
    return [
      ...pointTimes(context),
      fixed64Field(4, BigInt(counts.reduce((sum, count) => sum + count, 0))),
      doubleField(5, context.random.unit() * 1000),
      packedFixed64Field(6, counts),
      packedDoublesField(7, bounds),
      ...attributes(9, pointLabels(context)),
      doubleField(11, 0.1),
      doubleField(12, 900),
    ];
  },
};

const shapes = [sum, gauge, histogram, sum, gauge, sum, histogram, sum, gauge, sum];
