import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointResult } from '../src/result.ts';
import { startControlPlane } from '../src/testing/control-plane.ts';
import { sampleProcess } from './sample-process.ts';

export interface CostRun {
  minutes: number;
  /** Cadence in multiples of the default one. */
  faster: number;
  /** Host to trace to; the caller chooses one that is its own. */
  trace?: string | undefined;
  /** The built agent. */
  program: string;
}

export interface CostFigures {
  what: string;
  minutes: number;
  cadence: string;
  rssAverageMib: number;
  rssLargestMib: number;
  /** Children that ended included. */
  cpuPercentOfOneCore: number;
  /** The same without the first half minute, in which the agent starts and enrols. */
  cpuPercentSteady: number;
  results: number;
  /** What the start sent, once, and the rate after it; null where the run was too short to tell. */
  sentBytesPerDay: number | null;
  node: string;
  at: string;
}

const SAMPLE_MS = 1000;
const STARTED_MS = 30_000;
const DAY_MS = 86_400_000;
const mib = (bytes: number): number => Math.round((bytes / 1024 / 1024) * 10) / 10;
const percent = (cpuMs: number, elapsedMs: number): number => Math.round((cpuMs / elapsedMs) * 100_000) / 1000;

function environment(run: CostRun, stateDir: string, url: string): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    SVC_AGENT_STATE_DIR: stateDir,
    SVC_ENDPOINT_SESSION_TARGETS: `${url}/`,
    ...(run.trace ? { SVC_ENDPOINT_TRACE_TARGETS: run.trace } : {}),
    SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: String(60 / run.faster),
    SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: String(60 / run.faster),
    SVC_ENDPOINT_PATH_INTERVAL_SECONDS: String(300 / run.faster),
    SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: String(300 / run.faster),
  };
}

/** By the agent's own count: connecting comes once a day, the rest goes on. */
function bytesPerDay(received: readonly EndpointResult[]): number | null {
  const counts = received.filter((result) => result.canary_type === 'endpoint.agent');
  const [first, last] = [counts[0], counts.at(-1)];
  if (!first || !last || first === last) return null;
  const atFirst = first.metrics['sent.bytes'] ?? 0;
  const rate = ((last.metrics['sent.bytes'] ?? 0) - atFirst) / (Date.parse(last.started_at) - Date.parse(first.started_at));
  return Math.round(atFirst + rate * DAY_MS);
}

/**
 * Runs the built agent as a process of its own against a small real control plane and tells what it cost, beside what it sent.
 * Linux only.
 */
export async function measureAgentCost(run: CostRun): Promise<{ figures: CostFigures; received: EndpointResult[] }> {
  const [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-agent-cost-'))]);
  const args = ['--no-deprecation', run.program, 'run', '--enroll-stdin', '--server', plane.url];
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: environment(run, stateDir, plane.url),
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    // What it prints is read: what goes nowhere counts as shown to nobody, and then nothing is measured.
    child.stdout.resume();
    child.stdin.end(`${plane.token}\n`);
    const beganMs = performance.now();
    const samples: { atMs: number; rssBytes: number; cpuMs: number }[] = [];
    while (performance.now() - beganMs < run.minutes * 60_000) {
      const sample = await sampleProcess(child.pid as number);
      if (!sample) throw new Error('the agent ended before its time');
      samples.push({ atMs: performance.now() - beganMs, ...sample });
      await sleep(SAMPLE_MS);
    }
    const last = samples.at(-1) ?? { atMs: 1, cpuMs: 0 };
    const started = samples.find((sample) => sample.atMs >= STARTED_MS) ?? { atMs: 0, cpuMs: 0 };
    child.kill('SIGTERM');
    await ended;
    const figures: CostFigures = {
      what: 'endpoint agent, bundled, Linux, one process; its short-lived children count in CPU, not in memory',
      minutes: Math.round((last.atMs / 60_000) * 10) / 10,
      cadence: run.faster === 1 ? 'default' : `${run.faster} times the default`,
      rssAverageMib: mib(samples.reduce((sum, sample) => sum + sample.rssBytes, 0) / samples.length),
      rssLargestMib: mib(Math.max(...samples.map((sample) => sample.rssBytes))),
      cpuPercentOfOneCore: percent(last.cpuMs, last.atMs),
      cpuPercentSteady: percent(last.cpuMs - started.cpuMs, last.atMs - started.atMs),
      results: plane.received.length,
      sentBytesPerDay: bytesPerDay(plane.received),
      node: process.version,
      at: new Date().toISOString(),
    };
    return { figures, received: plane.received };
  } finally {
    child.kill('SIGKILL');
    await plane.close();
    await rm(stateDir, { recursive: true, force: true });
  }
}
