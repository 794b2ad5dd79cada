// What explaining an incident of many signals by rules takes over many spans and log records, in the product as it is composed.
// usage: node --conditions=svc-source bench/explain.ts [--spans 10000000] [--signals 1000]
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import { type CausesProduct, openCausesProduct } from '../e2e/causes/open-product.ts';
import { measureCpuShare } from '../server/src/features/endpoint/test-timing.ts';
import { parseTenantId, type TenantId } from '../server/src/kernel/index.ts';
import { createTenant } from '../server/src/relational/index.ts';
import { openTestTelemetry } from '../server/src/telemetry/test-telemetry.ts';
import { DAYS, fillStore } from './otlp/fill.ts';

const { values } = parseArgs({
  options: { spans: { type: 'string', default: '10000000' }, signals: { type: 'string', default: '1000' } },
});
const [spans, signals] = [Number(values.spans), Number(values.signals)];
const BOUND_MS = 2000;
const TRIES = 5;
const AT_ONCE = 250;
const MINUTE_MS = 60_000;
/** How long the harm has gone on. */
const HURT_MS = 20 * MINUTE_MS;
/** Of the map: the two hours before the harm, and the harm. */
const MAP_MINUTES = 120 + HURT_MS / MINUTE_MS;
/** Whoever writes spans notes their minutes; they are settled a while after that. */
const MARKS = `INSERT INTO edge_marks (tenant_id, minute, writes, written_at)
  SELECT {tenant:String}, {first:UInt32} + number, 1, now64(3) - 60 FROM numbers({count:UInt64})`;
/** Whom all of the spans name as the one that was asked. */
const TARGET = 'shop.example.com';
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function signalAt(n: number, sinceMs: number): RaisedSignal {
  const at = new Date(sinceMs + (n * HURT_MS) / signals).toISOString();
  const common = { severity: 'warning' as const, target: TARGET, summary: 'status 503, wanted 200', occurred_at: at };
  return n % 2 === 0
    ? {
        ...common,
        plane: 'tests',
        kind: 'test.failing',
        title: 'The shop fails',
        attributes: { 'test.id': `t${n}` },
        dedup_key: `t${n}`,
      }
    : {
        ...{ ...common, plane: 'otlp', kind: 'otlp.edge_failing', title: 'Calls fail', dedup_key: `e${n}` },
        attributes: { 'edge.source': 'frontend', 'edge.target': ['checkout', 'payment', 'cart'][n % 3] ?? '' },
      };
}

async function raiseIncident({ product, relational }: CausesProduct, tenant: TenantId): Promise<string> {
  const sinceMs = Date.now() - HURT_MS;
  for (let from = 0; from < signals; from += AT_ONCE)
    await product.slices.incidents.raise(
      tenant,
      Array.from({ length: Math.min(AT_ONCE, signals - from) }, (_, n) => signalAt(from + n, sinceMs)),
    );
  const { rows } = await relational.withTenantSql(tenant, (sql) => sql.query<{ id: string }>('SELECT id FROM incidents'));
  if (rows.length !== 1) throw new Error(`the signals made ${rows.length} incidents`);
  return rows[0]?.id ?? '';
}

const causes = await openCausesProduct();
// The same one: a process has one.
const telemetry = await openTestTelemetry();
try {
  const tenant = parseTenantId('bench');
  await createTenant(causes.relational, { id: tenant, name: 'bench' });
  await fillStore(telemetry.store, tenant, {
    ...{ rows: spans, fromMs: Date.now() - DAYS * 86_400_000, withoutPoints: true },
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  const first = Math.floor(Date.now() / MINUTE_MS) - MAP_MINUTES;
  await telemetry.store.derive(tenant, MARKS, { first, count: MAP_MINUTES });
  let minutes = 0;
  for (let more = 1; more > 0 && minutes < MAP_MINUTES; minutes += more)
    more = await causes.product.slices.topology.compute(tenant);
  const id = await raiseIncident(causes, tenant);
  const tookMs: number[] = [];
  const cpuMs: number[] = [];
  let told = '';
  for (let n = 0; n < TRIES; n += 1) {
    await causes.relational.withTenantSql(tenant, (sql) => sql.query('DELETE FROM incident_causes'));
    const [share, before, began] = [measureCpuShare(), process.cpuUsage(), performance.now()];
    const { hypotheses, evidence, not_measured: silent } = await causes.callerOf(tenant).causes.get({ id });
    const { user, system } = process.cpuUsage(before);
    tookMs.push(performance.now() - began);
    cpuMs.push((user + system) / 1000);
    told = `${hypotheses.length} causes, ${evidence.length} items of evidence, ${silent.length} not measured; ${(100 * share).toFixed(0)} % of a core was left`;
  }
  const best = Math.min(...tookMs);
  say(
    `explained ${values.signals} signals over ${spans} spans and as many log records, ${minutes} minutes of the map: ` +
      `first ${tookMs[0]?.toFixed(0)} ms, best ${best.toFixed(0)} ms, CPU ${Math.min(...cpuMs).toFixed(0)} ms ` +
      `(${told}; load ${loadavg()[0]?.toFixed(0)}); ${(best / BOUND_MS).toFixed(2)} of the bound of ${BOUND_MS} ms`,
  );
  process.exitCode = best < BOUND_MS ? 0 : 1;
} finally {
  await telemetry.close();
  await causes.close();
}
