// npm test: everything, in the order in which a fault is cheapest to find. Says at the end what was skipped and why.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { findWhyNoChromium } from './chromium.js';
import { childEnv, isCi, root } from './env.js';
import { findWhyNoFaceTests } from './face.js';
import { ensureSetup } from './setup.js';

const HELP = `npm test [-- STEP ...]

Runs everything: lint, types, unit and integration tests (embedded stores, a real Kafka, network namespaces), the build and the
tests in Chromium of the agent's window and of the whole product, and its tray on a real Electron and desktop. Name steps to run only
those: lint types unit integration window face shares e2e attacks. Window and face run beside integration, which mostly waits; what they
print comes when they are through. Attacks are the short ones of e2e/attacks.

The parts of the long lane run only when named, at most six minutes each: peers (exporters of other languages), packages (the agent as it
is installed), cost (what it costs over minutes), fuzz (OTLP, a minute for each signal), attacks-long, and crawl (all walks
through the console, at most 20 minutes). long names all of them. CI runs as many of the others as its time allows, another one first with each commit.`;

const out = join(root, 'test-results');

// Real processes, brokers and timers on a shared machine: a landing is not thrown away for one of them. What fails is tried once more
// at once, and then, when nothing else runs, by itself; the report names each that was tried again. At a desk one wants to see it fail.
const oneMoreTry = isCi ? ['--retry=1'] : [];
const oneMoreTryInBrowser = isCi ? ['--retries=1'] : [];

const FUZZ = 'server/src/features/otlp/wire/fuzz';

const STEPS = {
  lint: { title: 'Lint and walls', command: 'biome', args: ['check', '--error-on-warnings'] },
  types: { title: 'Types', command: 'turbo', args: ['run', 'types', '--ui=stream', '--output-logs=errors-only'] },
  unit: { title: 'Unit tests', command: 'vitest', args: vitestArgs('unit'), report: 'unit.json' },
  integration: {
    title: 'Integration tests',
    command: 'vitest',
    args: [...vitestArgs('integration'), ...oneMoreTry],
    report: 'integration.json',
    argsAgain: (files) => [...vitestArgs('integration', 'integration-again'), ...files],
    reportAgain: 'integration-again.json',
  },
  fuzz: {
    title: 'Fuzzing of OTLP, a minute for each signal',
    command: 'vitest',
    args: ['run', '--project', 'unit', '--reporter=default', '--reporter=json', '--outputFile.json=test-results/fuzz.json', FUZZ],
    env: { SVC_TEST_FUZZ_SECONDS: '60' },
    report: 'fuzz.json',
    isLong: true,
  },
  window: {
    title: "The agent's window in Chromium",
    command: 'playwright',
    args: ['test', '--config', 'desktop-agent/renderer-e2e/playwright.config.ts', ...oneMoreTryInBrowser],
    report: 'window.json',
    argsAgain: () => ['test', '--config', 'desktop-agent/renderer-e2e/playwright.config.ts', '--last-failed'],
    reportAgain: 'window.json',
    whyNot: findWhyNoChromium,
  },
  face: {
    title: "The agent's tray and window on a real Electron",
    command: 'playwright',
    args: ['test', '--config', 'desktop-agent/e2e/playwright.config.ts', ...oneMoreTryInBrowser],
    report: 'face.json',
    argsAgain: () => ['test', '--config', 'desktop-agent/e2e/playwright.config.ts', '--last-failed'],
    reportAgain: 'face.json',
    whyNot: findWhyNoFaceTests,
  },
  shares: {
    title: 'Fair shares of tenants, measured with nothing beside them',
    command: 'vitest',
    args: [...vitestArgs('shares'), ...oneMoreTry],
    report: 'shares.json',
  },
  e2e: {
    title: 'End to end in Chromium',
    command: 'playwright',
    args: ['test', '--config', 'e2e/playwright.config.ts', ...oneMoreTryInBrowser],
    report: 'e2e.json',
    whyNot: findWhyNoChromium,
  },
  attacks: { title: 'Attacks on the started product, the short ones', ...attackStep('attacks') },
  peers: longStep('peers', 'Exporters of other languages, and the snippets that people copy'),
  packages: longStep('packages', 'The agent as it is installed'),
  cost: longStep('cost', 'What the agent costs over minutes'),
  'attacks-long': { title: 'Attacks on the started product, the long ones', ...attackStep('attacks-long'), isLong: true },
  crawl: {
    title: 'All walks through the console in Chromium',
    command: 'playwright',
    args: ['test', '--config', 'e2e/playwright.config.ts', '--project', 'demo'],
    env: { SVC_TEST_CRAWL: 'all' },
    report: 'e2e.json',
    whyNot: findWhyNoChromium,
    isLong: true,
  },
};

function attackStep(project) {
  return {
    command: 'vitest',
    args: [...vitestArgs(project), ...oneMoreTry],
    report: `${project}.json`,
    whyNot: () => (process.platform === 'linux' ? undefined : 'they read the memory of the server from /proc'),
  };
}

function longStep(project, title) {
  return { title, command: 'vitest', args: [...vitestArgs(project), ...oneMoreTry], report: `${project}.json`, isLong: true };
}

function vitestArgs(project, report = project) {
  return ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=test-results/${report}.json`];
}

/** `aside`: beside another step, whose lines its own must not mix with. */
function run({ title, command, args, env }, aside) {
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
      resolve(ok);
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

/** Counts of one report, whichever of the two runners wrote it; skipped tests by name with their reason. */
function readReport(name) {
  const file = join(out, name);
  if (!existsSync(file))
    return { passed: 0, failed: 1, skipped: [], twice: [], failedNames: ['it wrote no report'], failedFiles: [] };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return { hasReport: true, ...(report.stats ? countPlaywright(report) : countVitest(report)) };
}

function countVitest(report) {
  const tests = report.testResults.flatMap((suite) => suite.assertionResults.map((test) => ({ ...test, file: suite.name })));
  const skipped = tests
    .filter((test) => test.status === 'skipped' || test.status === 'pending' || test.status === 'todo')
    .map((test) => `${test.fullName} ${test.meta?.skipReason ?? ''}`.trim());
  const failedFiles = report.testResults.filter((suite) => suite.status === 'failed').map((suite) => suite.name);
  const failedSuites = report.testResults.filter((suite) => suite.status === 'failed' && suite.assertionResults.length === 0);
  const failedNames = [
    ...tests.filter((test) => test.status === 'failed').map((test) => test.fullName),
    ...failedSuites.map((suite) => `${relative(root, suite.name)} could not be loaded`),
  ];
  // Errors of a test that passed are those of its first try.
  const twice = tests.filter((test) => test.status === 'passed' && test.failureMessages?.length > 0).map((test) => test.fullName);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + failedSuites.length,
    skipped,
    twice,
    failedNames,
    failedFiles,
  };
}

function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)];
  const withStatus = (wanted) => specsOf(report).filter(({ tests }) => tests.some(({ status }) => status === wanted));
  return {
    passed: expected + flaky,
    failed: unexpected,
    skipped: skipped ? [`${skipped} end-to-end tests`] : [],
    twice: withStatus('flaky').map(({ title }) => title),
    failedNames: withStatus('unexpected').map(({ title }) => title),
    failedFiles: [],
  };
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } });
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const long = Object.keys(STEPS).filter((name) => STEPS[name].isLong);
const usual = Object.keys(STEPS).filter((name) => !STEPS[name].isLong);
const wanted = positionals.length > 0 ? positionals.flatMap((name) => (name === 'long' ? long : [name])) : usual;
for (const name of wanted) {
  if (!(name in STEPS)) {
    console.error(`There is no step "${name}". ${HELP}`);
    process.exit(2);
  }
}

ensureSetup({ for: 'test' });
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const began = Date.now();
const total = { passed: 0, failed: 0, skipped: [], twice: [], failedNames: [] };
/** Steps of which something failed that is tried by itself once the row is through. */
const again = [];
/** More than this failing is no accident. */
const MOST_AGAIN = 5;

function failOf(count, names, { title }) {
  total.failed += count;
  total.failedNames.push(...names.map((name) => `${title}: ${name}`));
}

/** One step and what became of it; false where a later one would be in vain. */
async function take(name, aside) {
  const missing = STEPS[name].whyNot?.();
  if (missing) {
    console.log(`\n== ${STEPS[name].title}: SKIPPED, ${missing}`);
    total.skipped.push(`${STEPS[name].title}: ${missing}`);
    return true;
  }
  const ok = await run(STEPS[name], aside);
  if (STEPS[name].report) {
    const counts = readReport(STEPS[name].report);
    total.passed += counts.passed;
    total.skipped.push(...counts.skipped);
    total.twice.push(...counts.twice);
    // Without a report there is no telling what to try again.
    const isFewAgain = counts.failed > 0 && counts.failed <= MOST_AGAIN && counts.hasReport;
    if (isCi && STEPS[name].argsAgain && isFewAgain) again.push({ step: STEPS[name], counts });
    else if (counts.failed > 0) failOf(counts.failed, counts.failedNames, STEPS[name]);
    // Errors outside of any test, such as a rejection that nobody awaited.
    else if (!ok) failOf(1, ['it ended with an error although no test failed'], STEPS[name]);
  } else if (ok) total.passed += 1;
  else failOf(1, ['see above'], STEPS[name]);
  // On CI a broken build is not worth ten more minutes; at a desk one wants to see everything.
  return ok || !isCi || (name !== 'lint' && name !== 'types');
}

const countsOfFailed = ({ failed, failedNames }) =>
  failed > 0
    ? { failed, failedNames }
    : { failed: 1, failedNames: ['the second try ended with an error although no test failed'] };

/** What failed beside others, by itself. */
async function takeAgain({ step, counts }) {
  const args = step.argsAgain(counts.failedFiles);
  const ok = await run({ ...step, args, title: `${step.title}: what failed, once more by itself` }, false);
  const { failed, failedNames } = ok ? { failed: 0, failedNames: [] } : countsOfFailed(readReport(step.reportAgain));
  failOf(failed, failedNames, step);
  total.passed += Math.max(0, counts.failed - failed);
  if (ok) total.twice.push(...counts.failedNames.map((name) => `${name} (by itself)`));
}

/** Lanes of one row run side by side, the steps of a lane one after the other. The product as a whole has the machine to itself. */
const ROWS = [
  [['lint']],
  [['types']],
  [['unit']],
  [['integration'], ['window', 'face']],
  [['shares']],
  [['e2e']],
  [['attacks']],
  ...['peers', 'packages', 'cost', 'fuzz', 'attacks-long', 'crawl'].map((name) => [[name]]),
];

async function takeLane(lane, aside) {
  for (const name of lane) if (!(await take(name, aside))) return false;
  return true;
}

for (const row of ROWS) {
  const lanes = row.map((lane) => lane.filter((name) => wanted.includes(name))).filter((lane) => lane.length > 0);
  const went = await Promise.all(lanes.map((lane, i) => takeLane(lane, i > 0)));
  for (const one of again.splice(0)) await takeAgain(one);
  if (went.includes(false)) break;
}

console.log(`\nAll of it took ${((Date.now() - began) / 1000).toFixed(0)} s.`);
if (total.skipped.length > 0) {
  console.log(`Skipped ${total.skipped.length}, because this machine lacks what they need:`);
  for (const one of total.skipped) console.log(`  ${one}`);
}
for (const one of total.twice) console.log(`Passed when tried again: ${one}`);
for (const one of total.failedNames) console.log(`Failed: ${one}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
