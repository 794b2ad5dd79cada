// npm test: everything, in the order in which a fault is cheapest to find. Says at the end what was skipped and why.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { childEnv, isCi, root } from './env.js';
import { ensureSetup } from './setup.js';
import {
  describeDurations,
  findUnstableTwice,
  keepDurations,
  keepUnstable,
  readDurations,
  readKept,
  readUnstable,
  writeKept,
} from './test/kept.js';
import { withReason } from './test/reason.js';
import { readReport } from './test/reports.js';
import { runSteps } from './test/runner.js';
import { listLongParts, ROWS, STEPS } from './test/steps.js';

const HELP = `npm test [-- STEP ...]

Runs everything: lint, types, unit tests, the console's components in Chromium, integration tests (embedded stores, a real Kafka, network namespaces), the build and the
tests in Chromium of the agent's window and of the whole product, and its tray on a real Electron and desktop. Name steps to run only
those: lint types unit components integration window face shares e2e attacks. Window and face run beside integration, which mostly waits; what they
print comes when they are through. Attacks are the short ones of e2e/attacks.

The parts of the long lane run only when named, at most six minutes each: peers (exporters of other languages), packages (the agent as it
is installed), cost (what it costs over minutes), soak (a healthy network over minutes), corpus (verdicts in situations of known truth),
causes (root causes of incidents of known cause), sdk (the browser SDK beside web-vitals and in other engines), fuzz (OTLP and beacons, a minute for each), attacks-long, faults (brokers
that die again and again, a full disk), lighthouse (every page), interactions (a fleet of 10,000), users (verdicts on real users), and
crawl-1 to crawl-4 (all walks through the console). long names all of them. CI runs as many as its time allows, another one first with
each commit.

  --second-try     try each file that failed once more, alone; one that then passes is named as unstable and fails nothing (CI does this)
  --keep           keep this run's durations, and what was unstable, in scripts/test/kept.json, with which later runs compare
  --keep-log LOG   the same of the log of another run, such as CI's
  --list-long      name the parts of the long lane, with the seconds to leave for each`;

const out = join(root, 'test-results');
const keptFile = join(import.meta.dirname, 'test', 'kept.json');
/** No second try begins that would not end by then: CI takes an hour where 25 minutes are aimed at, and is ended after 90. */
const LAST_TRY_SECONDS = 75 * 60;
/** Nor one after second tries have taken this long together. */
const MOST_TRIES_SECONDS = 8 * 60;

/** Runs one command. `aside`: beside another step, whose lines its own must not mix with. */
function execute({ title, command, args, env }, aside) {
  const began = Date.now();
  const lines = [];
  const say = (text) => (aside ? lines.push(`${text}\n`) : console.log(text));
  say(`\n== ${title}`);
  return new Promise((resolve) => {
    const stdio = aside ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { cwd: root, env: childEnv(env), stdio, shell: process.platform === 'win32' });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => lines.push(text));
    const end = (ok) => {
      process.stdout.write(lines.join(''));
      resolve({ ok, seconds: (Date.now() - began) / 1000 });
    };
    child.once('error', (error) => {
      say(error.message);
      end(false);
    });
    child.once('close', (code) => {
      say(`== ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - began) / 1000).toFixed(0)} s`);
      end(code === 0);
    });
  });
}

function readArguments() {
  const flag = { type: 'boolean' };
  const options = {
    help: { type: 'boolean', short: 'h' },
    'second-try': flag,
    keep: flag,
    'keep-log': { type: 'string' },
    'list-long': flag,
  };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  const unknown = positionals.find((name) => name !== 'long' && !(name in STEPS));
  if (unknown !== undefined) {
    console.error(`There is no step "${unknown}". ${HELP}`);
    process.exit(2);
  }
  const named = (isLong) => Object.keys(STEPS).filter((name) => Boolean(STEPS[name].isLong) === isLong);
  const wanted = positionals.length > 0 ? positionals.flatMap((name) => (name === 'long' ? named(true) : [name])) : named(false);
  return { values, wanted };
}

/** What a run says at its end; the last line is the account, in a form that CI reads. */
function conclude(total, kept) {
  console.log(`\nAll of it took ${((Date.now() - began) / 1000).toFixed(0)} s.`);
  if (total.skipped.length > 0) {
    console.log(`Skipped ${total.skipped.length}, because this machine lacks what they need:`);
    for (const one of total.skipped) console.log(`  ${one}`);
  }
  for (const one of total.retried) console.log(`Retried, as scripts/test/retries.json allows: ${one}`);
  for (const file of findUnstableTwice(kept)) console.log(`Unstable twice and more, to be mended before anything else: ${file}`);
  for (const { file, test, reason } of total.unstable) console.log(withReason(`unstable: ${file}, ${test}`, reason));
  for (const one of total.failed) console.log(`Failed: ${one}`);
  console.log(`${total.passed} passed, ${total.failed.length} failed, ${total.skipped.length} skipped`);
}

const began = Date.now();
const { values, wanted } = readArguments();
const kept = readKept(keptFile);
const now = new Date().toISOString().slice(0, 16);
if (values['keep-log']) {
  const log = readFileSync(values['keep-log'], 'utf8');
  const withUnstable = keepUnstable(kept, readUnstable(log), now);
  writeKept(keptFile, { ...withUnstable, steps: { ...kept.steps, ...readDurations(log, STEPS) } });
  process.exit(0);
}
if (values['list-long']) {
  for (const { name, seconds } of listLongParts(kept)) console.log(`${name} ${seconds}`);
  process.exit(0);
}
ensureSetup({ for: 'test' });
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const total = await runSteps(wanted, {
  steps: STEPS,
  rows: ROWS,
  execute,
  reportPath: (name) => join(out, name),
  readReport: (path) => readReport(path, root),
  removeReport: (path) => rmSync(path, { force: true }),
  log: (text) => console.log(text),
  onFiles: (step, files) => {
    for (const line of describeDurations(STEPS[step].title, files, kept.steps[step])) console.log(line);
  },
  secondTry: values['second-try'],
  mayTryAgain: ({ step, file, spent }) => {
    const seconds = kept.steps[step]?.files[file] ?? 0;
    return (Date.now() - began) / 1000 + seconds < LAST_TRY_SECONDS && spent + seconds < MOST_TRIES_SECONDS;
  },
  stopsEarly: isCi,
});
const withUnstable = keepUnstable(kept, total.unstable, now);
if (values.keep) writeKept(keptFile, keepDurations(withUnstable, total));
conclude(total, withUnstable);
process.exit(total.failed.length === 0 ? 0 : 1);
