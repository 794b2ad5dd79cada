/** Runs one measurement in a process of its own, as the lab's tests need it: argv is its kind and the request as JSON. */
import { readFileSync } from 'node:fs';
import { measureForwarding } from '../forwarding.ts';
import { measureGateway } from '../gateway.ts';
import { measurePath } from '../path.ts';
import { measurePathMtu } from '../path-mtu.ts';
import { measureResolver } from '../resolver.ts';
import { measureSession } from '../session.ts';
import { trustOf } from '../trust.ts';

const [kind = '', json = '{}'] = process.argv.slice(2);
const { caFile, proxy, repeat = 1, ...request } = JSON.parse(json);

const measure = {
  path: () => measurePath(request),
  'path-mtu': () => measurePathMtu(request),
  gateway: () => measureGateway(request),
  forwarding: () => measureForwarding(request),
  resolver: () => measureResolver(request),
  // Loaded where it is asked for: the others are measured without it.
  test: async () => {
    const { runTest } = await import('../synthetic/run-test.ts');
    const { createTargetGuard } = await import('../synthetic/safety/target-guard.ts');
    return await runTest(request, { guard: createTargetGuard({}), resolveSecret: () => '' });
  },
  session: () =>
    measureSession({
      ...request,
      ...(caFile ? { trust: trustOf([readFileSync(caFile, 'utf8')]) } : {}),
      ...(proxy ? { proxyFor: async () => proxy } : {}),
    }),
}[kind];
if (!measure) throw new Error(`no such measurement: ${kind}`);

const results: unknown[] = [];
let cpuMs = 0;
for (let i = 0; i < repeat; i += 1) {
  const before = process.cpuUsage();
  results.push(await measure());
  const spent = process.cpuUsage(before);
  cpuMs = (spent.user + spent.system) / 1e3;
}
process.stdout.write(JSON.stringify({ results, uid: process.getuid?.(), lastCpuMs: cpuMs }));
