import { familyOf } from '../ffi/address.ts';
import { failureCode } from '../ffi/library.ts';
import { measured, unavailable } from '../reading.ts';
import { boundedWhole } from './bounds.ts';
import type { ProbeSystem } from './measure-path.ts';
import type { ProbeSizes, SizeReading } from './path.ts';
import { openProbeRun, type ProbeRun } from './probe-run.ts';

const MAX_SIZES = 16;
/** Above every header, and as large as jumbo frames get. */
const SIZE_BOUNDS = { min: 80, max: 9000 } as const;
const TOO_BIG = 'EMSGSIZE';

async function probeSize(run: ProbeRun, packetBytes: number, timeoutMs: number): Promise<SizeReading> {
  run.send();
  await run.waitUntil(performance.now() + timeoutMs, () => !run.probes.some(run.isPending));
  const [probe] = run.probes;
  const kind = probe?.answer?.kind;
  // A router that says "unreachable" says that this size does not fit, where smaller ones arrive.
  const told = run.sendError() === TOO_BIG || kind === 'unreachable' || kind === 'refused';
  return { packetBytes, arrived: kind === 'destination' && probe?.rttMs !== undefined, told };
}

/** Sends one packet of each size at once, each over a socket of its own. */
export const createProbeSizes =
  (system: Pick<ProbeSystem, 'chooseMethod' | 'openSocket'>): ProbeSizes =>
  async (request) => {
    const { destination, sizes, signal } = request;
    const family = familyOf(destination);
    if (sizes.length < 1 || sizes.length > MAX_SIZES) throw new RangeError(`sizes must be 1 to ${MAX_SIZES}`);
    for (const size of sizes) boundedWhole('size', size, { ...SIZE_BOUNDS, default: 0 });
    const timeoutMs = boundedWhole('timeoutMs', request.timeoutMs, { min: 10, max: 10_000, default: 1000 });
    const method = system.chooseMethod(request.method, family);
    if (method === undefined) return unavailable('not_supported');
    signal?.throwIfAborted();
    const runs: ProbeRun[] = [];
    const open = (packetBytes: number): ProbeRun => {
      const target = { destination, family, method, timeoutMs, packetBytes };
      const run = openProbeRun(signal ? { ...target, signal } : target, system.openSocket);
      runs.push(run);
      return run;
    };
    try {
      for (const size of sizes) open(size);
    } catch (error) {
      for (const run of runs) run.close();
      return unavailable(failureCode(error));
    }
    try {
      return measured(await Promise.all(sizes.map((size, at) => probeSize(runs[at] as ProbeRun, size, timeoutMs))));
    } finally {
      for (const run of runs) run.close();
    }
  };
