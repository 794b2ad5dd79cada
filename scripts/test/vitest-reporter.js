// What one run of vitest reports to the runner: every test, the seconds of each file, and the errors that belong to no test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { reasonOf } from './reason.js';

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its file's default export
export default class RunReporter {
  onInit(vitest) {
    this.root = vitest.config.root;
    this.file = vitest.config.outputFile;
  }

  onTestRunEnd(modules, unhandledErrors) {
    const files = modules.map((module) => reportFile(module, relative(this.root, module.moduleId)));
    const report = {
      runner: 'vitest',
      tests: files.flatMap(({ tests }) => tests),
      files: files.map(({ file, seconds }) => ({ file, seconds })),
      errors: unhandledErrors.map((error) => firstLine(error.stack ?? error.message)),
    };
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, JSON.stringify(report));
  }
}

function reportFile(module, file) {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const tests = [...module.children.allTests()].map((test) => {
    const { state, note, errors = [] } = test.result();
    const reason = state === 'failed' ? reasonOf(errors[0]) : undefined;
    return {
      file,
      name: test.fullName,
      state,
      ...(note ? { note } : {}),
      ...(reason ? { reason } : {}),
      ...((test.diagnostic()?.retryCount ?? 0) > 0 ? { retried: true } : {}),
    };
  });
  // A hook that fails, or a file that does not load, takes its tests along without one of them having failed.
  const broken = [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  for (const suite of broken) {
    tests.push({
      file,
      name: `${suite.fullName ?? 'the file'}: ${firstLine(suite.errors()[0].message)}`,
      state: 'failed',
      isOutside: true,
    });
  }
  return { file, tests, seconds: (collectDuration + setupDuration + duration) / 1000 };
}

const firstLine = (text = '') => text.split('\n', 1)[0];
