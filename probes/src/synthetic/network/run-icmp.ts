import type { IcmpParams } from '@svc/contracts/tests/params/network';
import { echoHost, tryEcho } from '@svc/native/path/index';
import { besideBound, note } from '../checks/assert.ts';
import { findAddresses } from '../connect/dial.ts';
import type { Run } from '../run.ts';
import { RunFailure } from '../run-failure.ts';
import { marginOf } from './margin.ts';

const MAX_WAIT_MS = 10_000;

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean difference of one to the next, as RFC 3550 means it; undefined for fewer than two. */
function jitterOf(rtts: readonly number[]): number | undefined {
  if (rtts.length < 2) return undefined;
  return average(rtts.slice(1).map((rtt, i) => Math.abs(rtt - (rtts[i] ?? rtt))));
}

function tell(
  run: Run,
  rtts: readonly (number | undefined)[],
): { loss: number; avg: number | undefined; jitter: number | undefined } {
  const back = rtts.filter((rtt) => rtt !== undefined);
  const loss = 1 - back.length / rtts.length;
  const jitter = jitterOf(back);
  Object.assign(run.figures, { 'packets.sent': rtts.length, 'packets.received': back.length, 'packet.loss.ratio': loss });
  if (back.length === 0) return { loss, avg: undefined, jitter };
  const avg = average(back);
  Object.assign(run.figures, { 'rtt.avg.ms': avg, 'rtt.min.ms': Math.min(...back), 'rtt.max.ms': Math.max(...back) });
  if (jitter !== undefined) run.figures['jitter.ms'] = jitter;
  // What a person calls the time of a ping is that of one, not of all with the pauses between.
  run.totalMs = (run.phases.dns ?? 0) + avg;
  return { loss, avg, jitter };
}

const percent = (ratio: number): string => `${Number((ratio * 100).toFixed(2))} %`;
const milliseconds = (ms: number | undefined, bound: number): string =>
  ms === undefined ? 'too few answers' : `${besideBound(ms, bound, 1)} ms`;

function check(run: Run, { loss, avg, jitter }: ReturnType<typeof tell>, wanted: IcmpParams['assertions']): void {
  const { loss_max_ratio, rtt_avg_ms, jitter_ms } = wanted;
  note(run, {
    rule: 'loss',
    wanted: `loss of ${percent(loss_max_ratio)} or less`,
    got: `${Number(besideBound(loss * 100, loss_max_ratio * 100, 2))} %`,
    passed: loss <= loss_max_ratio,
  });
  if (rtt_avg_ms !== undefined)
    note(run, {
      rule: 'rtt_avg_ms',
      wanted: `round trip within ${rtt_avg_ms} ms`,
      got: milliseconds(avg, rtt_avg_ms),
      passed: avg !== undefined && avg <= rtt_avg_ms,
    });
  if (jitter_ms !== undefined)
    note(run, {
      rule: 'jitter_ms',
      wanted: `jitter within ${jitter_ms} ms`,
      got: milliseconds(jitter, jitter_ms),
      passed: jitter !== undefined && jitter <= jitter_ms,
    });
}

export async function runIcmp(run: Run, host: string, params: IcmpParams): Promise<void> {
  const [address = host] = await findAddresses(run, { host, family: params.family });
  run.address = address;
  const may = tryEcho(address.includes(':') ? 6 : 4);
  if (!may.allowed)
    throw new RunFailure(
      'not_capable',
      `This runner's machine does not let its user send echo requests (${may.error}; on Linux, net.ipv4.ping_group_range says who may).`,
    );
  const leftMs = Math.max(50, run.startedMs + run.timeoutMs - performance.now() - marginOf(run.timeoutMs));
  const pauses = params.count - 1;
  const intervalMs = Math.max(1, Math.floor(Math.min(params.spacing_ms, pauses === 0 ? params.spacing_ms : leftMs / 2 / pauses)));
  const timeoutMs = Math.floor(Math.max(10, Math.min(MAX_WAIT_MS, leftMs - pauses * intervalMs)));
  const { count, bytes: payloadBytes } = params;
  const reading = await echoHost({ destination: address, count, intervalMs, timeoutMs, payloadBytes, signal: run.signal });
  if ('unavailable' in reading)
    throw new RunFailure('not_capable', `This runner's machine sends no echo requests (${reading.unavailable}).`);
  const { rttsMs, sent, unreachable, toldBy, error } = reading.value;
  if (sent === 0)
    throw new RunFailure('unroutable', `There is no way from the runner to ${address} (${error ?? 'nothing could be sent'}).`);
  const told = tell(run, rttsMs);
  if (told.avg === undefined) {
    if (unreachable) throw new RunFailure('unroutable', `${toldBy ?? 'A router'} says that ${address} cannot be reached.`);
    if (error !== undefined) throw new RunFailure('unroutable', `There is no way from the runner to ${address} (${error}).`);
  }
  check(run, told, params.assertions);
  if (told.avg === undefined && told.loss > params.assertions.loss_max_ratio)
    throw new RunFailure('no_answer', `${address} answers none of ${sent} echo requests.`);
}
