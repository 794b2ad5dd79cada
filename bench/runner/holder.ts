import { createHash } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { RunReport } from '@svc/contracts/tests/run-report';
import { Test, type TestSpecInput } from '@svc/contracts/tests/test';
import { openProber } from '@svc/runner/prober';
import { createRunner } from '@svc/runner/runner';

// One runner with its tests, in a process of its own whose memory and CPU are what is measured.
export interface Wish {
  tests: number;
  warmUpSeconds: number;
  seconds: number;
  https: number;
  tcp: number;
  dns: number;
  ca: string;
}

const idOf = (n: number): string => {
  const hex = createHash('sha256').update(String(n)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** 60 % HTTPS, 20 % TCP, 10 % DNS, 10 % ICMP. */
function specOf(n: number, { https, tcp, dns, ca }: Wish): TestSpecInput {
  const common = { name: `test ${n}`, interval_seconds: 60 };
  if (n % 10 < 6) return { ...common, type: 'https', target: `https://localhost:${https}/${n}`, params: { tls: { ca_pem: ca } } };
  if (n % 10 < 8) return { ...common, type: 'tcp', target: `127.0.0.1:${tcp}` };
  if (n % 10 < 9) return { ...common, type: 'dns', target: `host-${n}.example`, params: { resolver: `127.0.0.1:${dns}` } };
  return { ...common, type: 'icmp', target: '127.0.0.1', params: { count: 1 } };
}

const planOf = (wish: Wish): PlannedTest[] =>
  Array.from({ length: wish.tests }, (_, n) => {
    const stamp = '2026-11-25T10:00:00.000Z';
    const made = { id: idOf(n), version: 1, created_by: 'bench', created_at: stamp, updated_at: stamp };
    return { test: Test.parse({ ...specOf(n, wish), ...made }), secrets: [] };
  });

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(q * (sorted.length - 1))] ?? 0;

async function hold(wish: Wish): Promise<object> {
  let isCounting = false;
  const late: number[] = [];
  const totals: number[] = [];
  const faults: Record<string, number> = {};
  let runs = 0;
  const report = (_: string, made: RunReport): void => {
    if (!isCounting) return;
    runs += 1;
    late.push(Date.parse(made.started_at) - Date.parse(made.planned_at));
    totals.push(made.total_ms);
    if (!made.success)
      faults[`${made.type} ${made.fault}: ${made.error}`] = (faults[`${made.type} ${made.fault}: ${made.error}`] ?? 0) + 1;
  };
  const prober = await openProber({ allow: ['127.0.0.1', '::1', 'localhost'] });
  const runner = await createRunner({ id: 'bench', prober, report, shared: false });
  const plan = planOf(wish);
  const began = performance.now();
  runner.change('own', { put: plan, remove: [] });
  const planMs = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, wish.warmUpSeconds * 1000));
  isCounting = true;
  const cpu = process.cpuUsage();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let rss = 0;
  const watch = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 500);
  await new Promise((resolve) => setTimeout(resolve, wish.seconds * 1000));
  isCounting = false;
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  runner.close();
  late.sort((a, b) => a - b);
  totals.sort((a, b) => a - b);
  return {
    ...{ runs, planned: Math.round((wish.tests * wish.seconds) / 60), plan_ms: Math.round(planMs) },
    late_ms: { p50: quantile(late, 0.5), p99: quantile(late, 0.99), max: quantile(late, 1) },
    total_ms: { p50: quantile(totals, 0.5), p99: quantile(totals, 0.99) },
    ...{
      rss_mb: Math.round(rss / 1e6),
      cpu_cores: (user + system) / 1e6 / wish.seconds,
      loop_p99_ms: delay.percentile(99) / 1e6,
      faults,
    },
  };
}

process.once('message', (wish: Wish) => {
  hold(wish).then((figures) => process.send?.(figures, () => process.exit(0)));
});
