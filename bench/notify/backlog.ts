// A provider that is down for hours while incidents open, and then answers again: all is sent, once each, at the pace that it allows.
// usage: node --conditions=svc-source bench/notify/backlog.ts [--messages 10000] [--hours 3] [--speed 200]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseTenantId } from '../../server/src/kernel/index.ts';
import { createTenant } from '../../server/src/relational/index.ts';
import { setStage } from './chaos-stage.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    hours: { type: 'string', default: '3' },
    speed: { type: 'string', default: '200' },
  },
});
const [MESSAGES, SPEED] = [Number(values.messages), Number(values.speed)];
const AT_ONCE = 250;
const HOUR_MS = 3_600_000;
/** Real time in which all has to be sent. */
const LIMIT_MS = 600_000;
const COUNTS = 'SELECT state, count(*)::int AS n, max(attempts) AS most FROM notify_outbox GROUP BY state';

const stage = await setStage({ speed: SPEED, replicas: 2 });
try {
  const { relational, world, workers, now } = stage;
  const { sim, to } = stage.sims.pager_a;
  const tenant = parseTenantId('backlog');
  await createTenant(relational, { id: tenant, name: tenant });
  const { url, credential } = to;
  await world.asAdmin(tenant).notify.connectors.create({ provider: 'pager_a', name: 'pager', values: { url, credential } });
  sim.faults.plan(() => ({ kind: 'answer', status: 503 }));
  await workers.start();
  const downMs = now();
  for (let from = 0; from < MESSAGES; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, MESSAGES - from) }, (_, at) => from + at);
    await world.incidents.raise(
      tenant,
      numbers.map((number) => world.failing(number)),
    );
  }
  while (now() < downMs + Number(values.hours) * HOUR_MS) await sleep(200);
  const asked = sim.calls.length;
  sim.faults.plan(undefined);
  const [upMs, began] = [now(), Date.now()];
  const counts = async (): Promise<Map<string, { n: number; most: number }>> => {
    const { rows } = await relational.withSystemSql(tenant, (sql) =>
      sql.query<{ state: string; n: number; most: number }>(COUNTS),
    );
    return new Map(rows.map(({ state, n, most }) => [state, { n, most }]));
  };
  while ((await counts()).has('waiting') && Date.now() < began + LIMIT_MS) await sleep(500);
  const minutes = (now() - upMs) / 60_000;
  const keys = new Set(sim.objects().map(({ key }) => key));
  const states = Object.fromEntries(await counts());
  process.stdout.write(
    `${MESSAGES} messages, ${values.hours} h of ${asked} refused calls; then sent in ${minutes.toFixed(0)} min of the provider's clock (${((Date.now() - began) / 1000).toFixed(0)} s), ${(MESSAGES / minutes).toFixed(0)} a minute; ${sim.objects().length} objects of ${keys.size} incidents, ${sim.calls.length - asked} calls; ${JSON.stringify(states)}; breaches: ${sim.breaches.length}\n`,
  );
  const isGood = keys.size === MESSAGES && sim.objects().length === MESSAGES && sim.breaches.length === 0;
  process.exitCode = isGood ? 0 : 1;
} finally {
  await stage.close();
}
process.exit();
