import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import type { Ground } from '../harness/ground.ts';
import { exportHttp, OTLP_SURFACES, SIGNALS, type Signal } from '../harness/otlp.ts';
import { type Attributes, gauge, idOf, logRecord, request, span } from '../harness/payloads.ts';
import { newMark } from '../harness/victim.ts';

const MIB = 1024 * 1024;
const READ_LIMIT_MS = 20_000;

interface Shape {
  title: string;
  resource: Attributes;
  attributes: Attributes;
  scope?: Attributes;
  body?: string;
  /** Of the whole request. */
  padTo?: number;
}

const none: Pick<Shape, 'resource' | 'attributes'> = { resource: [], attributes: [] };
const many = (count: number, prefix: string): Attributes =>
  Array.from({ length: count }, (_, i) => [`${prefix}.${i}`, 'v'] as const);
const of = (bytes: number) => 'v'.repeat(bytes);

/** One at each bound, one below and one above. */
const SHAPES: readonly Shape[] = [
  ...[126, 127, 128, 129, 130].map((n) => ({ title: `${n} resource attributes`, resource: many(n, 'r'), attributes: [] })),
  ...[127, 128, 129].map((n) => ({ title: `${n} attributes of an item`, resource: [], attributes: many(n - 1, 'i') })),
  ...[127, 128, 129, 130].map((n) => ({ ...none, title: `${n} attributes of a scope`, scope: many(n, 's') })),
  ...[4095, 4096, 4097].map((n) => ({
    title: `a value of ${n} bytes`,
    resource: [],
    attributes: [['long', of(n)]] as Attributes,
  })),
  ...[4095, 4096, 4097].map((n) => ({
    title: `a resource value of ${n} bytes`,
    resource: [['long', of(n)]] as Attributes,
    attributes: [],
  })),
  ...[-1, 0, 1].map((d) => ({ title: `a log body of 64 KiB ${d}`, resource: [], attributes: [], body: of(64 * 1024 + d) })),
  ...[-1, 0, 1].map((d) => ({ title: `a request of 4 MiB ${d}`, resource: [], attributes: [], padTo: 4 * MIB + d })),
  {
    title: 'a repeated resource key',
    resource: [
      ['a', '1'],
      ['a', '2'],
      ['b', '3'],
    ],
    attributes: [],
  },
  {
    title: 'a repeated key of an item',
    resource: [],
    attributes: [
      ['a', '1'],
      ['a', '2'],
      ['b', '3'],
    ],
  },
  {
    title: 'a tenant of its own',
    resource: [
      ['svc.tenant.id', 'thief'],
      ['b', '3'],
    ],
    attributes: [
      ['svc.tenant.id', 'thief'],
      ['c', '4'],
    ],
  },
];

const itemOf = (signal: Signal, mark: string, { attributes, body }: Shape): Buffer => {
  const all = [['mark', mark], ...attributes] as const;
  if (signal === 'logs') return logRecord({ body: body ? `${mark} ${body}` : mark, attributes: all });
  if (signal === 'traces') return span({ id: idOf(Math.floor(Math.random() * 2 ** 40)), name: mark, attributes: all });
  return gauge(mark.replaceAll('-', '_'), [{ attributes: all }]);
};

function bodyOf(signal: Signal, mark: string, shape: Shape): Buffer {
  const build = (pad: number) => {
    // An unknown field: bytes that count and mean nothing.
    const padding = pad > 0 ? [padField(pad)] : [];
    return request(
      [itemOf(signal, mark, shape), ...padding],
      [['service.name', `bounds-${mark}`], ...shape.resource],
      shape.scope,
    );
  };
  if (shape.padTo === undefined) return build(0);
  let pad = shape.padTo - build(0).length - 16;
  for (let tries = 0; tries < 8; tries += 1) {
    const body = build(pad);
    if (body.length === shape.padTo) return body;
    pad += shape.padTo - body.length;
  }
  throw new Error('no request of that size');
}

/** Field 1000 of the scope, length-delimited. */
function padField(bytes: number): Buffer {
  const length: number[] = [];
  for (let rest = bytes; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) {
      length.push(rest);
      break;
    }
    length.push((rest % 128) | 128);
  }
  return Buffer.concat([Buffer.from([0xc2, 0x3e, ...length]), Buffer.alloc(bytes, 0x20)]);
}

const PATHS: Readonly<Record<Signal, (mark: string) => string>> = {
  logs: (mark) => `/v1/otlp/logs?service=${encodeURIComponent(`bounds-${mark}`)}`,
  traces: (mark) => `/v1/otlp/traces?service=${encodeURIComponent(`bounds-${mark}`)}`,
  metrics: (mark) => `/v1/otlp/metrics/names?search=${encodeURIComponent(mark.replaceAll('-', '_'))}`,
};

async function isReadable(ground: Ground, signal: Signal, mark: string): Promise<boolean> {
  const { status, body } = await ground.api(PATHS[signal](mark), { token: ground.hostile.tokens.viewer });
  if (status !== 200) throw new Error(`${PATHS[signal](mark)} was answered ${status}: ${body.slice(0, 300)}`);
  return (JSON.parse(body) as { items: unknown[] }).items.length > 0;
}

attack({
  name: 'what is acknowledged without a rejection at a bound, below and above it can be read',
  surfaces: [...OTLP_SURFACES, 'GET /v1/otlp/logs', 'GET /v1/otlp/traces', 'GET /v1/otlp/metrics/names'],
  cost: 'short',
  async run(ground) {
    const surprises: string[] = [];
    const acknowledged: { signal: Signal; title: string; mark: string }[] = [];
    for (const signal of SIGNALS)
      for (const shape of SHAPES) {
        if (shape.body && signal !== 'logs') continue;
        const mark = newMark();
        const answer = await exportHttp(ground.doors.otlpHttp, {
          ...{ signal, body: bodyOf(signal, mark, shape), token: ground.hostile.otlpToken },
        });
        // Above the bound it is refused at once, and a client that is still writing may see the connection cut.
        const allowed = (shape.padTo ?? 0) > 4 * MIB ? [413, 0] : [200];
        if (!allowed.includes(answer.status)) surprises.push(`${signal}, ${shape.title}: answered ${answer.status}`);
        if (answer.status === 200 && answer.rejected === 0) acknowledged.push({ signal, title: shape.title, mark });
      }
    let missing = acknowledged;
    for (const end = Date.now() + READ_LIMIT_MS; missing.length > 0 && Date.now() < end; await sleep(1000)) {
      const readable: boolean[] = [];
      // One after the other: a viewer has few requests at once and so many a minute.
      for (const one of missing) readable.push(await isReadable(ground, one.signal, one.mark));
      missing = missing.filter((_, i) => !readable[i]);
    }
    for (const { signal, title } of missing) surprises.push(`${signal}, ${title}: acknowledged and not there`);
    expect(surprises).toEqual([]);
  },
});
