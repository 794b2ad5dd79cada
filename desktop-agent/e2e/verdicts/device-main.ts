/**
 * The agent's measurer as a device of the network lab, with a cadence that is told instead of waited for. argv: what it is given as
 * JSON (`DeviceOrder`). Each line of standard input is one command, each line of standard output its answer.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { actorOf } from '@svc/contracts/fault-kinds';
import { decodeVerdict } from '@svc/contracts/judged/codec';
import { isCovered, isMeasuring } from '@svc/contracts/judged/fault';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { createContextReader } from '@svc/native/context/index';
import { readingValue } from '@svc/native/reading';
import type { WifiReading } from '@svc/native/wifi/wifi';
import { measureSession } from '@svc/probes/session';
import { trustOf } from '@svc/probes/trust';
import { uuidv7 } from 'uuidv7';
import type { RunChore } from '../../src/chores/run-chore.ts';
import type { AgentClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import { createMeasurer, type Measurer, USUAL_DEPTH } from '../../src/measure/measurer.ts';
import type { ProbeSet } from '../../src/measure/probe-set.ts';
import { createRealProbes } from '../../src/measure/real-probes.ts';
import { createUsualValues } from '../../src/measure/state/usual-values.ts';
import type { EndpointResult } from '../../src/result.ts';
import { DEFAULT_POLICY, settingsOf } from '../../src/settings.ts';
import type { DeviceCommand, DeviceOrder, Observed } from './device.ts';

/** Routers of the lab answer as fast as they are asked; what counts as lost stays as it is on a device. */
const PACE = { gatewayMs: 30, pathMs: 60, resolverMs: 20 } as const;
/** Half of what a device waits: nobody's verdict depends on the other half. */
const SESSION_LIMIT_MS = 5000;

const order: DeviceOrder = JSON.parse(process.argv[2] ?? '{}');
const { signal } = new AbortController();
let skewMs = 0;
let wifi: WifiReading | undefined;

const clock: AgentClock = { now: () => Date.now() + skewMs, steady: () => performance.now() + skewMs };
const noChores: RunChore = () => Promise.reject(new Error('a device of the lab has no chores'));
const real = createRealProbes(noChores, clock);
const trust = trustOf([readFileSync(order.caFile, 'utf8')]);
const probes: ProbeSet = {
  ...real,
  readWifi: async (request) => wifi ?? (await real.readWifi(request)),
  measureGateway: (request) => real.measureGateway({ ...request, intervalMs: PACE.gatewayMs }),
  measurePath: (request) => real.measurePath({ ...request, roundMs: PACE.pathMs }),
  measureResolver: (request) => real.measureResolver({ intervalMs: PACE.resolverMs, ...request }),
  measureSession: ({ authority: _none, ...request }) => measureSession({ timeoutMs: SESSION_LIMIT_MS, ...request, trust }),
};
const settings = settingsOf(
  readConfig({
    SVC_ENDPOINT_TRACE_TARGETS: order.traceTargets.join(','),
    SVC_ENDPOINT_SESSION_TARGETS: order.sessionTargets.join(','),
  }),
  DEFAULT_POLICY,
);
const { proxy } = order;
/** Over restarts, as on a disk. */
const usual = createUsualValues(clock.now);
let network = 1;
usual.enter(String(network));

const start = (): Measurer =>
  createMeasurer({
    probes,
    settings: () => settings,
    clock,
    newId: uuidv7,
    emit: async () => undefined,
    controlPlane: () => undefined,
    usual: { values: usual, keep: async () => undefined },
    ...(proxy === undefined ? {} : { proxyFor: async () => proxy }),
    // Its rounds are told, and each stands for one moment.
    confirms: false,
    isTunnelled: () => isTunnelled,
    signal: () => signal,
  });
const context = createContextReader();
let isTunnelled = false;
let measurer = start();

async function round(parts: DeviceCommand['parts']): Promise<Observed> {
  isTunnelled = readingValue((await context.read()).vpn) === true;
  const wanted = (part: string): boolean => parts === undefined || parts.some((one) => one === part);
  const route = async (): Promise<void> => {
    if (wanted('gateway')) await measurer.gateway(USUAL_DEPTH);
    if (wanted('paths')) await measurer.paths(USUAL_DEPTH);
  };
  await Promise.all([
    wanted('wifi') ? measurer.wifi() : undefined,
    route(),
    wanted('sessions') ? measurer.sessions() : undefined,
    wanted('resolvers') ? measurer.resolvers() : undefined,
  ]);
  return observed((await measurer.attribution()).result);
}

function observed({ attributes, metrics }: EndpointResult): Observed {
  const judged = decodeVerdict(attributes[ATTRIBUTES.judged] ?? '{}');
  const fault = judged?.fault ?? null;
  const coverage = judged?.coverage ?? null;
  const isOpen = attributes[ATTRIBUTES.cause] === 'none' && coverage !== null && isMeasuring(coverage);
  return {
    cause: attributes[ATTRIBUTES.cause] ?? null,
    kind: fault?.kind ?? (isOpen ? 'measuring' : null),
    also: judged?.also?.kind ?? null,
    actor: fault && actorOf(fault.kind, fault.code),
    confidence: metrics.confidence ?? null,
    isCovered: coverage !== null && isCovered(coverage),
    measured: coverage ? `${coverage.measured.join(' ')} of ${coverage.needed.join(' ')}` : '',
    flips: judged?.flips ?? 0,
    sentence: attributes[ATTRIBUTES.summary] ?? '',
  };
}

/** As when the system says so: other usual values, and nothing that was measured before. */
function changeNetwork(): void {
  network += 1;
  usual.enter(String(network));
  measurer.networkChanged();
}

async function obey(command: DeviceCommand): Promise<Observed | null> {
  if (command.wifi !== undefined) wifi = command.wifi ?? undefined;
  skewMs += command.advanceMs ?? 0;
  if (command.restart) measurer = start();
  if (command.networkChanged) changeNetwork();
  if (command.slept) measurer.slept();
  return command.round ? await round(command.parts) : null;
}

const lines = createInterface({ input: process.stdin });
let turn: Promise<unknown> = Promise.resolve();
lines.on('line', (line) => {
  turn = turn
    .then(() => obey(JSON.parse(line)))
    .then(
      (answer) => process.stdout.write(`${JSON.stringify({ answer })}\n`),
      (error) => process.stdout.write(`${JSON.stringify({ error: String(error?.stack ?? error) })}\n`),
    );
});
lines.on('close', () => process.exit(0));
