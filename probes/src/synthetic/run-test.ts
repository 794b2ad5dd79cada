import type { Assertion, Measured, Phase, RunFault } from '@svc/contracts/tests/run-report';
import type { TestSpec } from '@svc/contracts/tests/test';
import { timeoutOf } from '@svc/contracts/tests/test';
import { authorityOf } from './connect/dial.ts';
import { noTurnInTime } from './cpu.ts';
import { runDns } from './dns/run-dns.ts';
import { runHttp } from './http/run-http.ts';
import { runIcmp } from './network/run-icmp.ts';
import { runTcp } from './network/run-tcp.ts';
import { runUdp } from './network/run-udp.ts';
import { endPhase, type Run, type RunTools, startRun } from './run.ts';
import { cut, RunFailure } from './run-failure.ts';

export type { RunTools } from './run.ts';

async function runType(run: Run, spec: TestSpec): Promise<void> {
  switch (spec.type) {
    case 'http':
    case 'https':
      return await runHttp(run, spec.target, spec.params);
    case 'tcp':
      return await runTcp(run, spec.target, spec.params);
    case 'udp':
      return await runUdp(run, spec.target, spec.params);
    case 'dns':
      return await runDns(run, spec.target, spec.params);
    case 'icmp':
      return await runIcmp(run, spec.target, spec.params);
    case 'browser': {
      // Loaded by the first test that needs it.
      const { runBrowser } = await import('../browser/run-browser.ts');
      return await runBrowser(run, spec.target, spec.params);
    }
  }
}

const seconds = (ms: number): string => `${ms / 1000} s`;

/** What the whole run's limit means where it comes. */
function limitFailure(run: Run, phase: Phase | undefined): RunFailure {
  if (run.turns > 0) return noTurnInTime();
  const within = seconds(run.timeoutMs);
  const where = run.address === undefined ? 'The target' : authorityOf(run.address, run.port ?? 0);
  const words: Readonly<Record<Phase, [RunFault, string]>> = {
    dns: ['name_unresolved', `No name server gave an answer within ${within}.`],
    connect: ['no_answer', `${where} does not answer: no connection within ${within}.`],
    tls: ['timeout', `The TLS handshake was not done within ${within}.`],
    first_byte: ['timeout', `Nothing of an answer came within ${within}.`],
    transfer: ['timeout', `The answer was not complete within ${within}.`],
  };
  const [fault, message] = phase ? words[phase] : (['timeout', `It was not done within ${within}.`] as const);
  return new RunFailure(fault, message);
}

const assertionWords = (failed: readonly Assertion[]): string => {
  const [first] = failed;
  if (!first) return '';
  const more = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`;
  const what =
    first.rule === 'status' ? `status is ${first.got}, wanted ${first.wanted}` : `wanted ${first.wanted}, got ${first.got}`;
  return `${cut(what, 480)}${more}`;
};

function outcomeOf(run: Run, failure: RunFailure | undefined): Pick<Measured, 'success' | 'fault' | 'error'> {
  if (failure) return { success: false, fault: failure.fault, error: cut(run.redactor.redact(failure.message), 512) };
  const failed = run.assertions.filter(({ passed }) => !passed);
  return failed.length === 0 ? { success: true } : { success: false, fault: 'assertion', error: assertionWords(failed) };
}

function report(run: Run, failure: RunFailure | undefined): Measured {
  const { phases, figures, assertions, address, port, certificate, vitals, evidence } = run;
  return {
    ...outcomeOf(run, failure),
    phases,
    total_ms: run.totalMs ?? performance.now() - run.startedMs,
    figures,
    ...(address === undefined ? {} : { address }),
    ...(port === undefined ? {} : { port }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(vitals === undefined ? {} : { vitals }),
    assertions,
    ...(Object.keys(evidence).length === 0 ? {} : { evidence }),
  };
}

interface Limit {
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  readonly clear: () => void;
}

/** Aborts after the time, and with the other signal; lets go of that one, which may live as long as the runner. */
function startLimit(timeoutMs: number, other: AbortSignal | undefined): Limit {
  const controller = new AbortController();
  let over = false;
  const onAbort = (): void => controller.abort(other?.reason);
  const timer = setTimeout(() => {
    over = true;
    controller.abort(new DOMException('The run took too long.', 'TimeoutError'));
  }, timeoutMs);
  if (other?.aborted) onAbort();
  other?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
    clear: () => {
      clearTimeout(timer);
      other?.removeEventListener('abort', onAbort);
    },
  };
}

/**
 * One run of a test, never longer than its timeout. Resolves also where it fails, with the fault and words for it; rejects only with the
 * reason of `tools.signal`. Keeps nothing open.
 */
export async function runTest(spec: TestSpec, tools: RunTools): Promise<Measured> {
  const timeoutMs = timeoutOf(spec) * 1000;
  const limit = startLimit(timeoutMs, tools.signal);
  const run = startRun(tools, { signal: limit.signal, timeoutMs });
  let failure: RunFailure | undefined;
  try {
    await runType(run, spec);
  } catch (error) {
    tools.signal?.throwIfAborted();
    const phase = run.current?.phase;
    endPhase(run);
    if (error instanceof RunFailure) failure = error;
    else if (limit.isOver()) failure = limitFailure(run, phase);
    else {
      tools.onInternalError?.(error);
      failure = new RunFailure('internal', 'The runner itself failed at this test.');
    }
  } finally {
    limit.clear();
  }
  return report(run, failure);
}
