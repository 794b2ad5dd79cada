import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantId } from '../../server/src/kernel/index.ts';
import type { ColumnStore } from '../../server/src/telemetry/index.ts';

/** Spans and log records; five times as many points. Of two days, one of ten rows of another tenant. */
export interface Fill {
  rows: number;
  /** Unix milliseconds of the oldest row. */
  fromMs: number;
  /** All of them, unless it is said. */
  only?: 'spans';
  /** Spans and log records alone. */
  withoutPoints?: boolean;
  /** Hears how long each table took. */
  say: (line: string) => void;
}

export const DAYS = 2;
const SPAN_NS = `${DAYS * 86_400}000000000`;
export const RARE = 'quagga';
const METRICS = 50;
const SERIES = 1000;
export const SPANS_A_TRACE = 8;
const AT_ONCE = 500_000;

const TENANT = "if(number % 10 = 0, 'other', {tenant:String})";
const TS = `fromUnixTimestamp64Nano({fromNs:Int64} + toInt64(number / {all:UInt64} * ${SPAN_NS}) + toInt64(rand(7) % 1000000000))`;
const SERVICES = [
  ...['checkout', 'cart', 'payment', 'catalog', 'user', 'search', 'shipping', 'email', 'frontend', 'gateway'],
  ...['auth', 'inventory', 'pricing', 'ads', 'recommend', 'currency', 'fraud', 'quote', 'media', 'review'],
];
const list = (words: readonly (string | number)[]): string =>
  `[${words.map((word) => (typeof word === 'string' ? `'${word}'` : word)).join(', ')}]`;
const pick = (words: readonly (string | number)[], seed: number): string =>
  `arrayElement(${list(words)}, 1 + rand(${seed}) % ${words.length})`;
const resourceOf = (service: string): string =>
  `map('service.name', ${service}, 'service.version', '1.14.2', 'deployment.environment.name', 'production',
    'host.name', concat('ip-10-0-12-', toString(number % 5)), 'k8s.pod.name', concat(${service}, '-6f7c9d5b8-x2', toString(number % 5)),
    'k8s.namespace.name', 'shop', 'telemetry.sdk.language', 'nodejs', 'telemetry.sdk.version', '2.1.0')`;
const ID = (n: string): string => `reinterpretAsFixedString(sipHash64(${n}))`;

// Blocks as the product's own, so that merges find what they would find there.
const INTO = (table: string, columns: string): string =>
  `INSERT INTO ${table} (${columns}) SETTINGS min_insert_block_size_rows = 65536, min_insert_block_size_bytes = 0, max_block_size = 65536`;
const NUMBERS = 'FROM numbers({first:UInt64}, {count:UInt64})';
const PATHS = [
  '/api/v1/cart',
  '/api/v1/cart/{id}',
  '/api/v1/checkout',
  '/api/v1/products/{id}',
  '/healthz',
  '/api/v1/users/{id}/orders',
];

const SPANS = `${INTO(
  'spans',
  `tenant_id, ts, duration_ns, trace_id, span_id, parent_id, name, kind, service, resource, resource_types, scope, scope_version,
   attributes, attribute_types, status, status_message, http_method, http_route, http_status, peer, received, bus_partition, bus_offset`,
)}
  SELECT ${TENANT}, ${TS} AS at, toUInt64(exp(rand(2) / 4294967295 * 8) * 10000), reinterpretAsFixedString(sipHash128(intDiv(number, ${SPANS_A_TRACE}))),
    ${ID('number')}, if(number % ${SPANS_A_TRACE} = 0, toFixedString('', 8), ${ID('number - 1')}),
    concat(${pick(['GET', 'POST'], 5)} AS method, ' ', ${pick(PATHS, 6)} AS route), 1 + rand(8) % 3,
    ${pick(SERVICES, 1)} AS own, ${resourceOf('own')}, 'ssssssss', '@opentelemetry/instrumentation-http', '0.207.0',
    map('http.request.method', method, 'http.route', route, 'http.response.status_code',
      toString(${pick([200, 200, 200, 200, 201, 404, 500], 9)} AS code),
      'url.path', replaceOne(route, '{id}', toString(rand(10) % 100000)), 'url.scheme', 'https', 'server.address', 'shop.example.com',
      'server.port', '443', 'client.address', concat('10.', toString(rand(11) % 256), '.', toString(rand(12) % 256), '.7'),
      'user_agent.original', concat('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/13', toString(rand(13) % 9)),
      'network.protocol.version', '1.1', 'http.response.body.size', toString(rand(14) % 100000),
      'app.cache.hit', if(rand(15) % 2 = 0, 'true', 'false'), 'app.cart.total', toString((rand(16) % 100000) / 100),
      'enduser.id', concat('user-', toString(rand(17) % 50000)), 'thread.name', concat('worker-', toString(rand(18) % 16))),
    'ssissssssssibdss', if(code = 500, 2, 0), if(code = 500, 'internal error', ''), method, route, code, '', at, 0, intDiv(number, 512)
  ${NUMBERS}`;

const WORDS = [
  ...['request', 'completed', 'failed', 'user', 'order', 'payment', 'gateway', 'timeout', 'retry', 'connection', 'refused'],
  ...['cache', 'miss', 'hit', 'inventory', 'updated', 'shipped', 'cart', 'item', 'added', 'session', 'expired', 'token'],
  ...['invalid', 'upstream', 'latency', 'high', 'database', 'query', 'slow', 'transaction'],
];

const LOGS = `${INTO(
  'logs',
  `tenant_id, ts, observed_ts, trace_id, span_id, severity, severity_text, body, body_type, service, resource, resource_types, attributes,
   attribute_types, row, received, bus_partition, bus_offset`,
)}
  SELECT ${TENANT}, ${TS} AS at, at, reinterpretAsFixedString(sipHash128(intDiv(number, ${SPANS_A_TRACE}))), ${ID('number')},
    arrayElement([9, 9, 9, 9, 5, 13, 17], 1 + rand(4) % 7) AS level,
    transform(level, [9, 5, 13, 17], ['INFO', 'DEBUG', 'WARN', 'ERROR'], ''),
    concat(arrayStringConcat(arrayMap(i -> arrayElement(${list(WORDS)}, 1 + sipHash64(number, i) % ${WORDS.length}), range(8 + rand(5) % 10)), ' '),
      if(number % {rareEvery:UInt64} = 7, ' ${RARE}', ''), ' id=', toString(rand(6) % 1000000), ' took=', toString(rand(7) % 5000), 'ms req=',
      lower(hex(rand64(9)))),
    's', ${pick(SERVICES, 1)} AS own, ${resourceOf('own')}, 'ssssssss',
    map('log.logger', 'shop.http', 'code.file.path', 'src/handlers/cart.ts', 'code.line.number', toString(rand(10) % 800),
      'code.function.name', 'handle', 'thread.name', concat('worker-', toString(rand(18) % 16)), 'http.route', '/api/v1/cart',
      'enduser.id', concat('user-', toString(rand(17) % 50000)), 'request.id', lower(hex(rand64(12)))),
    'ssisssss', number % 512, at, 0, intDiv(number, 512)
  ${NUMBERS}`;

const METRIC = `concat('app_metric_', toString(number % ${METRICS}))`;
const KINDS = "if(number % 2 = 0, 'sum', 'gauge')";
const FP = `cityHash64(number % ${METRICS * SERIES}, 'bench')`;

const METRIC_SERIES = `${INTO('metric_series', 'tenant_id, metric, fp, month, otel_name, unit, kind, service, labels')}
  SELECT {tenant:String}, ${METRIC}, ${FP}, arrayJoin({months:Array(UInt32)}), replaceAll(${METRIC}, '_', '.'), '1', ${KINDS},
    arrayElement(${list(SERVICES)}, 1 + number % ${SERVICES.length}) AS own,
    mapConcat(mapApply((k, v) -> (toString(k), toString(v)), ${resourceOf('own')}), map('http.request.method', if(number % 3 = 0, 'GET', 'POST'),
      'http.route', concat('/r/', toString(number % 25)), 'http.response.status_code', toString(arrayElement([200, 404, 500, 503], 1 + number % 4)),
      'instance', toString(intDiv(number, ${METRICS}))))
  ${NUMBERS}`;

const POINTS = `${INTO('metric_points', 'tenant_id, metric, fp, ts, value, keep_days')}
  SELECT {tenant:String}, ${METRIC}, ${FP},
    fromUnixTimestamp64Milli(toInt64({fromNs:Int64} / 1000000 + intDiv(number, ${METRICS * SERIES}) * (${DAYS * 86_400_000} / ({all:UInt64} / ${METRICS * SERIES})))),
    if(number % 2 = 0, toFloat64(intDiv(number, ${METRICS * SERIES}) * 17 + rand() % 17), round(50 + sin(intDiv(number, ${METRICS * SERIES}) / 30) * 20 + rand(2) % 100 / 10, 2)), 30
  ${NUMBERS}`;

const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};

/** Until no merge is under way for a while, as it would be at rest. */
async function waitForMerges(store: ColumnStore, tenant: TenantId): Promise<void> {
  const sql = "SELECT count() AS merges FROM system.merges WHERE {tenant:String} != ''";
  for (let quiet = 0; quiet < 5; ) {
    await sleep(300);
    const [row] = await store.read<{ merges: number }>(tenant, sql);
    quiet = row?.merges === 0 ? quiet + 1 : 0;
  }
}

/** Made by the store of numbers, in the order of time as it would come. */
export async function fillStore(
  store: ColumnStore,
  tenant: TenantId,
  { rows, fromMs, only, withoutPoints, say }: Fill,
): Promise<void> {
  const fromNs = `${fromMs}000000`;
  const months = [...new Set([monthOf(fromMs), monthOf(fromMs + DAYS * 86_400_000)])];
  await store.derive(tenant, METRIC_SERIES, { first: 0, count: METRICS * SERIES, months });
  const tables = [
    ['spans', SPANS, rows],
    ['logs', LOGS, rows],
    ['metric_points', POINTS, withoutPoints ? 0 : rows * 5],
  ] as const;
  for (const [table, sql, all] of tables.filter(([name]) => only === undefined || name === only)) {
    const begun = performance.now();
    for (let first = 0; first < all; first += AT_ONCE) {
      const count = Math.min(AT_ONCE, all - first);
      await store.derive(tenant, sql, { fromNs, first, count, all, rareEvery: Math.ceil(rows / 4) });
    }
    const inserted = (performance.now() - begun) / 1000;
    await waitForMerges(store, tenant);
    say(`${table}: ${all} rows in ${inserted.toFixed(0)} s, merged after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
}
