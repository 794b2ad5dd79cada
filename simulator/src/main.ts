import { readFileSync } from 'node:fs';
import { HELP, type Options, readOptions, UsageError } from './options.ts';
import { type Report, runFleet } from './run-fleet.ts';

const PROGRESS_MS = 2000;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const thousands = (value: number): string => Math.round(value).toLocaleString('en-GB');

/** At most one line each two seconds, and the last. */
function createProgress(): (line: string, isLast: boolean) => void {
  let saidMs = 0;
  return (line, isLast) => {
    if (!isLast && Date.now() - saidMs < PROGRESS_MS) return;
    saidMs = Date.now();
    say(line);
  };
}

function createReport(options: Options): Report {
  const progress = createProgress();
  const begunMs = Date.now();
  const refusals = new Set<string>();
  return {
    planned: (targets) => process.send?.({ type: 'planned', ...targets }),
    enrolled: (done, of) => progress(`Enrolling devices: ${done} of ${of}`, done === of),
    connected: (done, of) => progress(`Connecting devices: ${done} of ${of}`, done === of),
    backfilled({ share, accepted }) {
      const percent = Math.round(share * 100);
      progress(`Delivering the last ${options.hours} h: ${percent} %, ${thousands(accepted)} results stored`, share === 1);
    },
    complete({ devices, results, seconds }) {
      const rate = seconds > 0 ? `, ${thousands(results / seconds)}/s` : '';
      say(`${devices} devices, ${thousands(results)} results in ${seconds.toFixed(1)} s${rate}.`);
      process.send?.({ type: 'backfilled', devices, results, seconds, totalSeconds: (Date.now() - begunMs) / 1000 });
    },
    refused(reasons) {
      for (const reason of reasons) {
        if (!refusals.has(reason)) process.stderr.write(`The server refused results: ${reason}\n`);
        refusals.add(reason);
      }
    },
    lost: (count, message) => process.stderr.write(`${count} devices are not connected: ${message}\n`),
  };
}

async function main(): Promise<number> {
  let options: Options | undefined;
  try {
    options = readOptions(process.argv.slice(2), (file) => readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
  if (!options) {
    say(HELP);
    return 0;
  }
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  // Started by npm run demo: when it is gone, even by kill -9, so are we.
  process.once('disconnect', end);
  try {
    await runFleet(options, createReport(options), stop.signal);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    process.stderr.write(`The simulation ended: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

process.exitCode = await main();
process.disconnect?.();
