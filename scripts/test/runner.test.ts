import { describe, expect, it } from 'vitest';
import { runSteps } from './runner.js';

interface Test {
  file: string;
  name: string;
  state: string;
  isOutside?: boolean;
  reason?: string;
}
/** What one start of a step came to; `tests` undefined: it wrote no report. */
interface Outcome {
  ok: boolean;
  tests?: Test[];
  errors?: string[];
}

const passed = (file: string, name: string): Test => ({ file, name, state: 'passed' });
const failed = (file: string, name: string): Test => ({ file, name, state: 'failed' });

const steps = {
  lint: { title: 'Lint', commands: [{ command: 'lint', args: [] }] },
  unit: { title: 'Unit', runner: 'vitest', project: 'unit' },
  e2e: { title: 'E2e', runner: 'playwright', config: 'e2e/playwright.config.ts' },
};

/** Runs steps whose starts come to `outcomes`, by step and, where one file is tried alone, by that file. */
async function runFake(outcomes: Record<string, Outcome>, more: object = {}) {
  const started: string[] = [];
  const reports = new Map<string, Outcome>();
  const total = await runSteps(Object.keys(steps), {
    steps,
    rows: [[['lint']], [['unit']], [['e2e']]],
    execute: ({ command, args, env }: { command: string; args: string[]; env: Record<string, string> }) => {
      const report = env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? args.find((arg) => arg.startsWith('--outputFile='))?.split('=')[1] ?? '';
      const file = report.endsWith('-alone.json') ? args.at(-1) : undefined;
      const name = file ?? (report.split('.')[0] || command);
      started.push(name);
      const outcome = outcomes[name] ?? { ok: true, tests: [passed('a.test.ts', 'a')] };
      if (outcome.tests) reports.set(report, outcome);
      return Promise.resolve({ ok: outcome.ok, seconds: 1 });
    },
    reportPath: (name: string) => name,
    removeReport: (path: string) => reports.delete(path),
    readReport: (path: string) => {
      const outcome = reports.get(path);
      return outcome && { tests: outcome.tests, files: [], errors: outcome.errors ?? [] };
    },
    log: () => undefined,
    onFiles: () => undefined,
    secondTry: true,
    mayTryAgain: () => true,
    ...more,
  });
  return { total, started };
}

const ALL_OF_IT = ['lint', 'unit', 'e2e'];
const oneFails: Outcome = { ok: false, tests: [passed('a.test.ts', 'a'), failed('b.test.ts', 'b'), passed('b.test.ts', 'c')] };

describe('a run', () => {
  it('counts what passed, a step without tests as one', async () => {
    const { total, started } = await runFake({});
    expect(total).toMatchObject({ passed: 3, failed: [], unstable: [] });
    expect(started).toEqual(ALL_OF_IT);
  });

  it('goes on after a failed lint at a desk, and stops there in CI', async () => {
    const outcomes = { lint: { ok: false } };
    expect((await runFake(outcomes)).started).toEqual(ALL_OF_IT);
    expect((await runFake(outcomes, { stopsEarly: true })).started).toEqual(['lint']);
  });

  it('fails where a step wrote no report, and starts nothing again', async () => {
    const { total, started } = await runFake({ unit: { ok: true } });
    expect(total.failed).toEqual(['Unit: it wrote no report']);
    expect(started).toEqual(ALL_OF_IT);
  });

  it('fails where a step ended with an error although all its tests passed', async () => {
    const { total } = await runFake({ unit: { ok: false, tests: [passed('a.test.ts', 'a')] } });
    expect(total.failed).toEqual(['Unit: it ended with an error although no test failed']);
  });
});

describe('a second try', () => {
  it('is of the one file, and names as unstable what passes', async () => {
    const { total, started } = await runFake({
      unit: oneFails,
      'b.test.ts': { ok: true, tests: [passed('b.test.ts', 'b'), passed('b.test.ts', 'c')] },
    });
    expect(started).toEqual(['lint', 'unit', 'b.test.ts', 'e2e']);
    expect(total).toMatchObject({ passed: 5, failed: [], unstable: [{ file: 'b.test.ts', test: 'b' }] });
  });

  it('is for every step with tests', async () => {
    const alone = { ok: true, tests: [passed('b.test.ts', 'b'), passed('b.test.ts', 'c')] };
    const { total } = await runFake({ e2e: oneFails, 'b.test.ts': alone });
    expect(total).toMatchObject({ failed: [], unstable: [{ file: 'b.test.ts', test: 'b' }] });
  });

  it('is there only where it is asked for', async () => {
    const { total, started } = await runFake({ unit: oneFails }, { secondTry: false });
    expect(started).toEqual(ALL_OF_IT);
    expect(total.failed).toEqual(['Unit: b (b.test.ts)']);
  });

  it('is left out where no time is left, and where many files fail', async () => {
    expect((await runFake({ unit: oneFails }, { mayTryAgain: () => false })).total.failed).toEqual(['Unit: b (b.test.ts)']);
    const many = ['c', 'd', 'e', 'f', 'g', 'h'].map((name) => failed(`${name}.test.ts`, name));
    const { total, started } = await runFake({ unit: { ok: false, tests: many } });
    expect(started).toEqual(ALL_OF_IT);
    expect(total.failed).toHaveLength(6);
  });

  it('tells how long second tries have taken', async () => {
    const spent: number[] = [];
    const both = { ok: false, tests: [failed('b.test.ts', 'b'), failed('c.test.ts', 'c')] };
    const mayTryAgain = (asked: { spent: number }) => spent.push(asked.spent) > 0;
    await runFake({ unit: both }, { mayTryAgain });
    expect(spent).toEqual([0, 1]);
  });

  it.each<[string, Outcome]>([
    ['fails again', { ok: false, tests: [failed('b.test.ts', 'b')] }],
    ['writes no report', { ok: true }],
    ['runs no test', { ok: true, tests: [] }],
    ['leaves out what had failed', { ok: true, tests: [passed('b.test.ts', 'c')] }],
    ['skips what had failed', { ok: true, tests: [passed('b.test.ts', 'c'), { ...failed('b.test.ts', 'b'), state: 'skipped' }] }],
    ['ends with an error', { ok: false, tests: [passed('b.test.ts', 'b')] }],
    ['has an error outside of its tests', { ok: true, tests: [passed('b.test.ts', 'b')], errors: ['boom'] }],
  ])('is in vain where it %s', async (_, alone) => {
    const { total } = await runFake({ unit: oneFails, 'b.test.ts': alone });
    expect(total).toMatchObject({ failed: ['Unit: b (b.test.ts)'], unstable: [] });
  });

  it('tells what fails alone too from what does not', async () => {
    const both = { ok: false, tests: [failed('b.test.ts', 'b'), failed('b.test.ts', 'c')] };
    const alone = { ok: false, tests: [passed('b.test.ts', 'b'), failed('b.test.ts', 'c')] };
    const { total } = await runFake({ unit: both, 'b.test.ts': alone });
    expect(total).toMatchObject({ failed: ['Unit: c (b.test.ts)'], unstable: [{ file: 'b.test.ts', test: 'b' }] });
  });

  it('is in vain where another test of the file fails alone', async () => {
    const alone = { ok: false, tests: [passed('b.test.ts', 'b'), failed('b.test.ts', 'c')] };
    const { total } = await runFake({ unit: oneFails, 'b.test.ts': alone });
    expect(total).toMatchObject({ failed: ['Unit: b (b.test.ts)'], unstable: [] });
  });

  it('takes no error away that no test answers for', async () => {
    const alone = { ok: true, tests: [passed('b.test.ts', 'b')] };
    const { total } = await runFake({ unit: { ...oneFails, errors: ['Error: boom'] }, 'b.test.ts': alone });
    expect(total).toMatchObject({ failed: ['Unit: an error outside of any test: Error: boom'], unstable: [{ test: 'b' }] });
  });

  it('says why a test failed, also one that then passes', async () => {
    const because = (file: string, name: string): Test => ({ ...failed(file, name), reason: 'expected 1 to be 2' });
    const unit = { ok: false, tests: [because('b.test.ts', 'b'), because('c.test.ts', 'c')] };
    const outcomes = {
      unit,
      'b.test.ts': { ok: true, tests: [passed('b.test.ts', 'b')] },
      'c.test.ts': { ok: false, tests: [because('c.test.ts', 'c')] },
    };
    const { total } = await runFake(outcomes);
    expect(total.unstable).toEqual([{ file: 'b.test.ts', test: 'b', reason: 'expected 1 to be 2' }]);
    expect(total.failed).toEqual(['Unit: c (c.test.ts)\n  because: expected 1 to be 2']);
  });

  it('runs what was not begun because another file failed, and does not call it unstable', async () => {
    const notBegun = { file: 'later.spec.ts', name: 'later', state: 'pending' };
    const { total, started } = await runFake({
      e2e: { ok: false, tests: [failed('b.test.ts', 'b'), notBegun] },
      'b.test.ts': { ok: true, tests: [passed('b.test.ts', 'b')] },
      'later.spec.ts': { ok: true, tests: [passed('later.spec.ts', 'later')] },
    });
    expect(started).toEqual([...ALL_OF_IT, 'b.test.ts', 'later.spec.ts']);
    expect(total).toMatchObject({ failed: [], unstable: [{ file: 'b.test.ts', test: 'b' }] });
  });

  it('of a file whose hook failed passes when its tests pass', async () => {
    const hook = { ...failed('b.test.ts', 'the file: no server'), isOutside: true };
    const { total } = await runFake({
      unit: { ok: false, tests: [hook] },
      'b.test.ts': { ok: true, tests: [passed('b.test.ts', 'b')] },
    });
    expect(total).toMatchObject({ failed: [], unstable: [{ file: 'b.test.ts', test: 'the file: no server' }] });
  });
});
