import { familyOf } from '../ffi/address.ts';
import { failureCode } from '../ffi/library.ts';
import { boundedWhole } from '../path/bounds.ts';
import type { ProbeSystem } from '../path/measure-path.ts';
import type { EchoHost, EchoReading, TryEcho } from '../path/path.ts';
import { openProbeRun, type ProbeRun } from '../path/probe-run.ts';
import { measured, unavailable } from '../reading.ts';

type EchoSystem = Pick<ProbeSystem, 'openSocket'>;

async function send(run: ProbeRun, plan: { count: number; intervalMs: number; timeoutMs: number }): Promise<EchoReading> {
  for (let sent = 0, next = performance.now(); sent < plan.count; sent += 1, next += plan.intervalMs) {
    await run.waitUntil(next, () => false);
    run.send();
  }
  await run.waitUntil(performance.now() + plan.timeoutMs, () => !run.probes.some(run.isPending));
  const kinds = run.probes.map(({ answer }) => answer?.kind);
  const at = kinds.findIndex((kind) => kind === 'unreachable' || kind === 'exceeded');
  const told = run.probes[at]?.answer?.address;
  const error = run.sendError() ?? (kinds.includes('refused') ? 'EHOSTUNREACH' : undefined);
  return {
    sent: run.probes.length,
    rttsMs: run.probes.map(({ answer, rttMs }) => (answer?.kind === 'destination' ? rttMs : undefined)),
    ...(at < 0 ? {} : { unreachable: true }),
    ...(told === undefined ? {} : { toldBy: told }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Echo requests to one host, over one socket. */
export const createEchoHost =
  ({ openSocket }: EchoSystem): EchoHost =>
  async (request) => {
    const { destination, signal } = request;
    const family = familyOf(destination);
    const plan = {
      count: boundedWhole('count', request.count, { min: 1, max: 100, default: 4 }),
      intervalMs: boundedWhole('intervalMs', request.intervalMs, { min: 1, max: 60_000, default: 200 }),
      timeoutMs: boundedWhole('timeoutMs', request.timeoutMs, { min: 10, max: 10_000, default: 1000 }),
    };
    const payloadBytes = boundedWhole('payloadBytes', request.payloadBytes, { min: 8, max: 1400, default: 56 });
    signal?.throwIfAborted();
    let run: ProbeRun;
    try {
      const target = { destination, family, method: 'icmp', timeoutMs: plan.timeoutMs, payloadBytes } as const;
      run = openProbeRun(signal ? { ...target, signal } : target, openSocket);
    } catch (error) {
      return unavailable(failureCode(error));
    }
    try {
      return measured(await send(run, plan));
    } finally {
      run.close();
    }
  };

const OWN = { 4: '127.0.0.1', 6: '::1' } as const;

/** Opens a socket and closes it; nothing is sent. */
export const createTryEcho =
  ({ openSocket }: EchoSystem): TryEcho =>
  (family) => {
    try {
      openSocket({ destination: OWN[family], family, method: 'icmp', timeoutMs: 1000, onAnswer: () => undefined }).close();
      return { allowed: true };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : failureCode(error);
      return { allowed: false, error: code };
    }
  };
