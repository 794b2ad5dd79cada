// Runs steps and keeps the account. No second try is hidden: a file that fails is tried once alone where that is asked for, and named.
import { withReason } from './reason.js';
import { findUnstable, judge } from './reports.js';
import { commandsOf } from './steps.js';

/** More files than this failing in one step is no accident. */
const MOST_TRIED_AGAIN = 5;

/**
 * Resolves to the account of the steps `wanted`. `context` holds `steps` and `rows`, and
 * - `execute(command, aside)`: runs one command and resolves to { ok, seconds },
 * - `reportPath(name)`, `readReport(path)`, `removeReport(path)`: a run's report, undefined where there is none,
 * - `log(text)`, `onFiles(step, files)`: for what is printed,
 * - `secondTry`, `mayTryAgain({ step, file, spent })`: whether a failed file is tried alone, and whether there is time left for that, after the
 *   seconds that second tries have taken,
 * - `stopsEarly`: whether the rest is in vain where lint or types fail.
 */
export async function runSteps(wanted, context) {
  const total = { passed: 0, skipped: [], failed: [], unstable: [], retried: [], files: {}, seconds: {}, isWhole: {} };
  const run = { ...context, total, waiting: [], spent: 0 };
  for (const row of context.rows) {
    const lanes = row.map((lane) => lane.filter((step) => wanted.includes(step))).filter((lane) => lane.length > 0);
    const went = await Promise.all(lanes.map((lane, i) => runLane(run, lane, i > 0)));
    // Once nothing else runs.
    for (const one of run.waiting.splice(0)) await tryAlone(run, one);
    if (went.includes(false)) break;
  }
  return total;
}

async function runLane(run, lane, aside) {
  for (const step of lane) if (!(await runStep(run, step, aside))) return false;
  return true;
}

/** One step and what became of it; false where a later one would be in vain. */
async function runStep(run, step, aside) {
  const { title, runner, whyNot } = run.steps[step];
  const missing = whyNot?.();
  if (missing) {
    run.log(`\n== ${title}: SKIPPED, ${missing}`);
    run.total.skipped.push(`${title}: ${missing}`);
    return true;
  }
  const report = run.reportPath(`${step}.json`);
  const { ok, seconds } = await runCommands(run, step, { report, aside });
  run.total.seconds[step] = seconds;
  if (runner) {
    account(run, step, { ok, report: run.readReport(report) });
    return true;
  }
  if (ok) run.total.passed += 1;
  else fail(run, step, ['see above']);
  // On CI a broken build is not worth ten more minutes; at a desk one wants to see everything.
  return ok || !run.stopsEarly;
}

async function runCommands(run, step, { report, file, aside = false }) {
  run.removeReport(report);
  const title = file ? `${run.steps[step].title}: ${file} alone` : run.steps[step].title;
  let seconds = 0;
  for (const command of commandsOf(run.steps[step], { report, file })) {
    const ended = await run.execute({ title, ...command }, aside);
    seconds += ended.seconds;
    if (!ended.ok) return { ok: false, seconds };
  }
  return { ok: true, seconds };
}

function account(run, step, { ok, report }) {
  const { passed, skipped, retried, failures, errors } = judge(ok, report);
  const { total, waiting } = run;
  total.passed += passed;
  total.skipped.push(...skipped.map(({ name, note }) => (note ? `${name}: ${note}` : name)));
  total.retried.push(...retried.map(({ file, name }) => `${file}, ${name}`));
  total.files[step] = report?.files ?? [];
  total.isWhole[step] = ok;
  run.onFiles(step, total.files[step]);
  fail(run, step, errors);
  const files = [...new Set(failures.map(({ file }) => file))];
  if (run.secondTry && files.length <= MOST_TRIED_AGAIN)
    waiting.push(...files.map((file) => ({ step, file, failures: failures.filter((one) => one.file === file) })));
  else failTests(run, step, failures);
}

async function tryAlone(run, { step, file, failures }) {
  if (!run.mayTryAgain({ step, file, spent: run.spent })) {
    run.log(`\n== ${run.steps[step].title}: no time to try ${file} alone`);
    failTests(run, step, failures);
    return;
  }
  const report = run.reportPath(`${step}-alone.json`);
  const { ok, seconds } = await runCommands(run, step, { report, file });
  run.spent += seconds;
  const unstable = findUnstable(failures, ok, run.readReport(report));
  failTests(
    run,
    step,
    failures.filter((one) => !unstable.includes(one)),
  );
  run.total.passed += unstable.filter(({ isOutside }) => !isOutside).length;
  run.total.unstable.push(
    ...unstable.filter(({ wasNotBegun }) => !wasNotBegun).map(({ name, reason }) => ({ file, test: name, reason })),
  );
}

const fail = (run, step, names) => run.total.failed.push(...names.map((name) => `${run.steps[step].title}: ${name}`));

const failTests = (run, step, failures) =>
  fail(
    run,
    step,
    failures.map(({ name, file, wasNotBegun, reason }) =>
      withReason(`${name} (${file}${wasNotBegun ? ', not begun: what it waits for failed' : ''})`, reason),
    ),
  );
