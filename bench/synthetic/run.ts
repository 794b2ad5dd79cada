import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createNetlab, type Netlab } from '@svc/testkit/netlab/netlab';
import { readUsage } from '../usage.ts';
import type { Rounds, Task } from './probe-child.ts';

/**
 * Synthetic tests beside Prometheus' blackbox_exporter: the same targets of a network lab, in turn, 200 times each. Medians by phase must agree
 * within 10 % or a millisecond.
 */

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200' }, blackbox: { type: 'string', default: 'prometheus-blackbox-exporter' } },
});
const RUNS = Number(values.runs);
const PORT = 9115;
const CHILD = path.join(import.meta.dirname, 'probe-child.ts');

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

interface Case {
  readonly name: string;
  readonly spec: object;
  readonly module: string;
  /** Of the peer's probe. */
  readonly target: string;
  /** Our phase, and the peer's sample in seconds. */
  readonly phases: readonly (readonly [string, string])[];
}

const httpPhase = (phase: string): string => `probe_http_duration_seconds{phase="${phase}"}`;
const HTTP: Case['phases'] = [
  ['dns', httpPhase('resolve')],
  ['connect', httpPhase('connect')],
  ['tls', httpPhase('tls')],
  ['first_byte', httpPhase('processing')],
  ['transfer', httpPhase('transfer')],
  ['total', 'probe_duration_seconds'],
];

function casesOf(lab: Netlab): Case[] {
  const { https, http } = lab.urls;
  const host = new URL(https).hostname;
  const common = { name: 'bench', timeout_seconds: 5 };
  return [
    {
      name: 'https',
      spec: { ...common, type: 'https', target: https, params: { family: 4, tls: { ca_pem: lab.ca } } },
      module: 'https',
      target: https,
      phases: HTTP,
    },
    {
      name: 'http',
      spec: { ...common, type: 'http', target: http, params: { family: 4 } },
      module: 'http',
      target: http,
      phases: HTTP.filter(([phase]) => phase !== 'tls'),
    },
    {
      name: 'tcp',
      spec: { ...common, type: 'tcp', target: `${host}:443`, params: { family: 4 } },
      module: 'tcp',
      target: `${host}:443`,
      phases: [
        ['dns', 'probe_dns_lookup_time_seconds'],
        ['total', 'probe_duration_seconds'],
      ],
    },
    {
      name: 'dns',
      spec: { ...common, type: 'dns', target: host, params: { resolver: lab.server.v4 } },
      module: 'dns',
      target: lab.server.v4,
      phases: [['first_byte', 'probe_dns_duration_seconds{phase="request"}']],
    },
    {
      name: 'icmp',
      spec: { ...common, type: 'icmp', target: lab.server.v4, params: { count: 1 } },
      module: 'icmp',
      target: lab.server.v4,
      phases: [['rtt.avg.ms', 'probe_icmp_duration_seconds{phase="rtt"}']],
    },
  ];
}

const configOf = (lab: Netlab): string => `modules:
  https: { prober: http, timeout: 5s, http: { preferred_ip_protocol: ip4, tls_config: { ca_file: "${lab.caFile}" } } }
  http: { prober: http, timeout: 5s, http: { preferred_ip_protocol: ip4 } }
  tcp: { prober: tcp, timeout: 5s, tcp: { preferred_ip_protocol: ip4 } }
  dns: { prober: dns, timeout: 5s, dns: { preferred_ip_protocol: ip4, query_name: "${new URL(lab.urls.https).hostname}", query_type: A } }
  icmp: { prober: icmp, timeout: 5s, icmp: { preferred_ip_protocol: ip4 } }
`;

const milliseconds = (ms: number): string => ms.toFixed(2).padStart(8);

/** Prints a case; false where a phase is further off than it may be. */
function tell({ name, phases }: Case, { ours, peer, cpuMs, failures }: Rounds, peerCpuMs: number): boolean {
  let agrees = failures.length === 0;
  console.log(`${name}: ${failures.length} failures`);
  for (const [phase, sample] of phases) {
    const mine = median(ours.map((run) => run[phase] ?? Number.NaN));
    const theirs = 1000 * median(peer.map((run) => run[sample] ?? Number.NaN));
    const isNear = Math.abs(mine - theirs) <= Math.max(1, theirs / 10);
    agrees &&= isNear;
    console.log(
      `  ${phase.padEnd(12)} ours ${milliseconds(mine)} ms   blackbox ${milliseconds(theirs)} ms   ${isNear ? '' : 'DIFFERS'}`,
    );
  }
  const perRun = cpuMs / ours.length;
  const perProbe = peerCpuMs / (ours.length + 20);
  console.log(
    `  CPU a probe  ours ${milliseconds(perRun)} ms   blackbox ${milliseconds(perProbe)} ms   ${(perRun / perProbe).toFixed(2)} times`,
  );
  return agrees;
}

const version = spawnSync(values.blackbox, ['--version'], { encoding: 'utf8' });
if (version.status !== 0) throw new Error(`no ${values.blackbox}; name it with --blackbox`);
console.log(version.stdout.split('\n')[0] || version.stderr.split('\n')[0]);
const folder = mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'));
const lab = await createNetlab({
  icmpSockets: true,
  icmpRateLimit: false,
  links: [{ delayMs: 1 }, { delayMs: 3 }, { delayMs: 2 }, {}],
});
let good = true;
try {
  await lab.setServer({ delayMs: 20, bodyMs: 5, bytes: 20_000 });
  writeFileSync(path.join(folder, 'blackbox.yml'), configOf(lab));
  const args = [`--config.file=${folder}/blackbox.yml`, `--web.listen-address=127.0.0.1:${PORT}`, '--log.level=error'];
  const exporter = lab.start('client', [values.blackbox, ...args], { uid: 0 });
  const cpuMs = (): number => {
    const { cpuSeconds, childCpuSeconds } = readUsage(exporter.pid ?? 0);
    return 1000 * (cpuSeconds + childCpuSeconds);
  };
  await lab.exec('client', [
    process.execPath,
    '-e',
    `(async () => { for (let i = 0; i < 200; i++) { try { await fetch('http://127.0.0.1:${PORT}/-/healthy'); return; } catch { await new Promise((r) => setTimeout(r, 50)); } } process.exit(1); })()`,
  ]);
  for (const one of casesOf(lab)) {
    const task: Task = {
      spec: one.spec,
      url: `http://127.0.0.1:${PORT}/probe?module=${one.module}&target=${encodeURIComponent(one.target)}`,
      runs: RUNS,
    };
    const before = cpuMs();
    const { code, stdout, stderr } = await lab.exec('client', [
      process.execPath,
      '--conditions=svc-source',
      CHILD,
      JSON.stringify(task),
    ]);
    if (code !== 0) throw new Error(`${one.name} ended with ${code}: ${stderr}`);
    good = tell(one, JSON.parse(stdout) as Rounds, cpuMs() - before) && good;
  }
} finally {
  await lab.close();
  rmSync(folder, { recursive: true });
}
if (!good) process.exitCode = 1;
