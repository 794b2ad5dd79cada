// What a step's run came to, whichever of the two runners reported it.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { reasonOf } from './reason.js';

/**
 * One run: its tests ({ file, name, state, note?, reason?, retried?, isOutside? }), its files ({ file, seconds }) and the errors that belong to no
 * test. Undefined where there is no whole report, as after a crash.
 */
export function readReport(path, root) {
  if (!existsSync(path)) return undefined;
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    return report.runner === 'vitest' ? report : readPlaywright(report, root);
  } catch {
    return undefined;
  }
}

const PLAYWRIGHT_STATES = { expected: 'passed', flaky: 'passed', unexpected: 'failed', skipped: 'skipped' };

function readPlaywright({ config, suites, errors }, root) {
  const specs = suites.flatMap(listSpecs);
  const results = specs.flatMap(({ spec, titles }) => spec.tests.map((test) => ({ spec, titles, test })));
  const fileOf = (spec) => relative(root, join(config.rootDir, spec.file));
  const seconds = new Map();
  const tests = results.map(({ spec, titles, test }) => {
    const file = fileOf(spec);
    const took = test.results.reduce((sum, { duration }) => sum + duration / 1000, 0);
    seconds.set(file, (seconds.get(file) ?? 0) + took);
    const note = test.annotations?.find(({ type }) => type === 'skip')?.description;
    const reason = reasonOf(test.results.find(({ error }) => error)?.error);
    return {
      file,
      name: [...titles, spec.title].join(' > '),
      // A test that nobody skipped and that has no result was never begun: what it waits for had failed.
      state: didNotRun(test) ? 'pending' : PLAYWRIGHT_STATES[test.status],
      ...(note ? { note } : {}),
      ...(reason ? { reason } : {}),
      ...(test.status === 'flaky' ? { retried: true } : {}),
    };
  });
  return {
    runner: 'playwright',
    tests,
    files: [...seconds].map(([file, took]) => ({ file, seconds: took })),
    errors: errors.map(({ message }) => (message ?? 'an error without a message').split('\n', 1)[0]),
  };
}

const didNotRun = ({ status, results, annotations = [] }) =>
  status === 'skipped' && results.length === 0 && !annotations.some(({ type }) => type === 'skip' || type === 'fixme');

/** The outermost suite is the file. */
function listSpecs({ title, specs = [], suites = [], file }, titles = []) {
  const own = title === file || titles === undefined ? [] : [...titles, title];
  return [...specs.map((spec) => ({ spec, titles: own })), ...suites.flatMap((suite) => listSpecs(suite, own))];
}

/**
 * The verdict over one run. `failures` are tests that failed or were never begun; `errors` are what no test answers for, so that no second
 * try of a test takes them away.
 */
export function judge(ok, report) {
  if (report === undefined) return { passed: 0, skipped: [], retried: [], failures: [], errors: ['it wrote no report'] };
  const named = (state) => report.tests.filter((test) => test.state === state);
  const failures = [...named('failed'), ...named('pending').map((test) => ({ ...test, wasNotBegun: true }))];
  const errors = report.errors.map((error) => `an error outside of any test: ${error}`);
  if (!ok && failures.length === 0 && errors.length === 0) errors.push('it ended with an error although no test failed');
  return {
    passed: named('passed').length,
    skipped: named('skipped'),
    retried: report.tests.filter((test) => test.state === 'passed' && test.retried),
    failures,
    errors,
  };
}

/**
 * Those of the failures `before` that are none when their file runs alone: what had failed was run now and passed. None where anything else
 * went wrong now.
 */
export function findUnstable(before, ok, report) {
  const { failures, errors, passed } = judge(ok, report);
  const keyOf = ({ file, name }) => `${file}\n${name}`;
  const failedBefore = new Set(before.map(keyOf));
  if (passed === 0 || errors.length > 0 || failures.some((one) => !failedBefore.has(keyOf(one)))) return [];
  const passedNow = new Set(report.tests.filter(({ state }) => state === 'passed').map(keyOf));
  const failedNow = new Set(failures.map(keyOf));
  return before.filter((one) => (one.isOutside ? !failedNow.has(keyOf(one)) : passedNow.has(keyOf(one))));
}
