/** Runs one test again and again in a lab's namespace, in turn with the peer's probe of the same target: argv is the task as JSON. */
import { TestSpec } from '@svc/contracts/tests/test';
import { runTest } from '@svc/probes/synthetic/run-test';
import { createTargetGuard } from '@svc/probes/synthetic/safety/target-guard';

export interface Task {
  readonly spec: unknown;
  /** Of the peer; empty: it is left out. */
  readonly url: string;
  readonly runs: number;
}

export interface Rounds {
  /** Milliseconds by phase, one for each run. */
  readonly ours: readonly Readonly<Record<string, number>>[];
  /** Samples of the peer's metrics by name with labels. */
  readonly peer: readonly Readonly<Record<string, number>>[];
  readonly cpuMs: number;
  readonly failures: readonly string[];
}

const WARM_UP = 20;

function readSamples(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const match = /^([a-z_]+(?:\{[^}]*\})?) ([\d.e+-]+)$/.exec(line);
    if (match?.[1]) samples[match[1]] = Number(match[2]);
  }
  return samples;
}

async function run({ spec: input, url, runs }: Task): Promise<Rounds> {
  const spec = TestSpec.parse(input);
  const tools = {
    guard: createTargetGuard({}),
    resolveSecret: () => '',
    onInternalError: (error: unknown) => console.error(error),
  };
  const ours: Record<string, number>[] = [];
  const peer: Record<string, number>[] = [];
  const failures: string[] = [];
  let cpuUs = 0;
  for (let turn = -WARM_UP; turn < runs; turn += 1) {
    const before = process.cpuUsage();
    const measured = await runTest(spec, tools);
    const { user, system } = process.cpuUsage(before);
    const samples = url === '' ? {} : readSamples(await (await fetch(url)).text());
    if (!measured.success) failures.push(measured.error ?? 'failed');
    if (url !== '' && samples.probe_success !== 1) failures.push('the peer failed');
    if (turn < 0) continue;
    cpuUs += user + system;
    ours.push({ ...measured.phases, ...measured.figures, total: measured.total_ms });
    peer.push(samples);
  }
  return { ours, peer, cpuMs: cpuUs / 1000, failures };
}

process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}') as Task)));
