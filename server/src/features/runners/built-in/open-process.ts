import { join } from 'node:path';
import { BUILT_IN_RUNNER } from '@svc/contracts/tests/runner';
import type { RunnerSettings } from '@svc/runner/process/messages';
import { type RunnerProcessOptions, startRunnerProcess } from '@svc/runner/process/runner-process';
import type { OpenRunner } from '@svc/runner/runner-handle';

/** From source beside this file, from the bundle beside its chunks (server/build.js). */
const ENTRY = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'process-entry.ts' : 'synthetic-runner.js');

export interface RunnerProcessWish extends Pick<RunnerProcessOptions, 'env' | 'log' | 'pauseMs'> {
  settings: Omit<RunnerSettings, 'id'>;
}

/** The built-in runner in a process of its own: no test takes anything of the control plane's. */
export const openRunnerProcess =
  ({ settings, ...rest }: RunnerProcessWish): OpenRunner =>
  async (report) =>
    await startRunnerProcess({ ...rest, entry: ENTRY, settings: { ...settings, id: BUILT_IN_RUNNER }, report });
