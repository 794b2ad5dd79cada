// npm test: everything, in the order in which a fault is cheapest to find. Says at the end what was skipped and why.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findWhyNoChromium } from './chromium.js';
import { childEnv, isCi, root } from './env.js';
import { findWhyNoFaceTests } from './face.js';
import { ensureSetup } from './setup.js';

const HELP = `npm test [-- STEP ...]

Runs everything: lint, types, unit and integration tests (embedded stores, a real Kafka, network namespaces), the build and the
tests in Chromium of the agent's window and of the whole product, and its tray on a real Electron and desktop. Name steps to run only
those: lint types unit integration window face e2e.`;

const out = join(root, 'test-results');

// Real processes, brokers and timers on a shared machine: a landing is not thrown away for one of them, and the report names each
// that was tried twice. At a desk one wants to see it fail.
const oneMoreTry = isCi ? ['--retry=1'] : [];

const STEPS = {
  lint: { title: 'Lint and walls', command: 'biome', args: ['check', '--error-on-warnings'] },
  types: { title: 'Types', command: 'turbo', args: ['run', 'types', '--ui=stream', '--output-logs=errors-only'] },
  unit: { title: 'Unit tests', command: 'vitest', args: vitestArgs('unit'), report: 'unit.json' },
  integration: {
    title: 'Integration tests',
    command: 'vitest',
    args: [...vitestArgs('integration'), ...oneMoreTry],
    report: 'integration.json',
  },
  window: {
    title: "The agent's window in Chromium",
    command: 'playwright',
    args: ['test', '--config', 'desktop-agent/renderer-e2e/playwright.config.ts'],
    report: 'window.json',
    whyNot: findWhyNoChromium,
  },
  face: {
    title: "The agent's tray and window on a real Electron",
    command: 'playwright',
    args: ['test', '--config', 'desktop-agent/e2e/playwright.config.ts'],
    report: 'face.json',
    whyNot: findWhyNoFaceTests,
  },
  e2e: {
    title: 'End to end in Chromium',
    command: 'playwright',
    args: ['test', '--config', 'e2e/playwright.config.ts'],
    report: 'e2e.json',
    whyNot: findWhyNoChromium,
  },
};

function vitestArgs(project) {
  return ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=test-results/${project}.json`];
}

function run({ title, command, args }) {
  const began = Date.now();
  console.log(`\n== ${title}`);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: childEnv(), stdio: 'inherit', shell: process.platform === 'win32' });
    child.once('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once('exit', (code) => {
      console.log(`== ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - began) / 1000).toFixed(0)} s`);
      resolve(code === 0);
    });
  });
}

/** Counts of one report, whichever of the two runners wrote it; skipped tests by name with their reason. */
function readReport(name) {
  const file = join(out, name);
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: [] };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return report.stats ? countPlaywright(report) : countVitest(report);
}

function countVitest(report) {
  const tests = report.testResults.flatMap((suite) => suite.assertionResults.map((test) => ({ ...test, file: suite.name })));
  const skipped = tests
    .filter((test) => test.status === 'skipped' || test.status === 'pending' || test.status === 'todo')
    .map((test) => `${test.fullName} ${test.meta?.skipReason ?? ''}`.trim());
  const failedSuites = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
  ).length;
  return { passed: report.numPassedTests, failed: report.numFailedTests + failedSuites, skipped };
}

function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected + flaky, failed: unexpected, skipped: skipped ? [`${skipped} end-to-end tests`] : [] };
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } });
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const wanted = positionals.length > 0 ? positionals : Object.keys(STEPS);
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
const total = { passed: 0, failed: 0, skipped: [] };
for (const name of wanted) {
  const missing = STEPS[name].whyNot?.();
  if (missing) {
    console.log(`\n== ${STEPS[name].title}: SKIPPED, ${missing}`);
    total.skipped.push(`${STEPS[name].title}: ${missing}`);
    continue;
  }
  const ok = await run(STEPS[name]);
  if (STEPS[name].report) {
    const counts = readReport(STEPS[name].report);
    total.passed += counts.passed;
    total.failed += counts.failed + (ok || counts.failed > 0 ? 0 : 1);
    total.skipped.push(...counts.skipped);
  } else if (ok) total.passed += 1;
  else total.failed += 1;
  // On CI a broken build is not worth ten more minutes; at a desk one wants to see everything.
  if (isCi && !ok && (name === 'lint' || name === 'types')) break;
}

console.log(`\nAll of it took ${((Date.now() - began) / 1000).toFixed(0)} s.`);
if (total.skipped.length > 0) {
  console.log(`Skipped ${total.skipped.length}, because this machine lacks what they need:`);
  for (const one of total.skipped) console.log(`  ${one}`);
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
