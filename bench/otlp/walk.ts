import { parseArgs } from 'node:util';
import { type Signal, walk } from '@svc/otlp-wire/walk';
import { makePayload } from './payload.ts';

/** CPU of checking one request and its tenant on the wire bytes, and of stamping the tenant on it. */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, items: { type: 'string', default: '512' } },
});
const nowMs = Date.now();
const options = { tenant: 'acme', nowMs };

function measure(signal: Signal, body: Buffer): string {
  const until = performance.now() + Number(values.seconds) * 1000;
  const before = process.cpuUsage();
  let items = 0;
  let bytes = 0;
  while (performance.now() < until) {
    for (let i = 0; i < 20; i += 1) {
      items += walk(signal, body, options).items;
      bytes += body.length;
    }
  }
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = (user + system) / 1e6;
  return `${Math.round(bytes / cpuSeconds / 1e6)} MB and ${(items / cpuSeconds / 1e6).toFixed(2)} M items a CPU-second`;
}

for (const signal of ['traces', 'logs', 'metrics'] as const) {
  const body = makePayload(signal, { items: Number(values.items), nowMs });
  const stamped = walk(signal, body, options).bytes;
  process.stdout.write(`${signal}, ${Math.round(body.length / Number(values.items))} B an item\n`);
  process.stdout.write(`  checked: ${measure(signal, stamped)}\n  stamped: ${measure(signal, body)}\n`);
}
