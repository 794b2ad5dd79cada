import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import { type Measured, Measured as Schema } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { runTest } from '../../synthetic/run-test.ts';
import { spec, toolsWith } from '../../synthetic/testing/servers.ts';
import { processesOf } from '../process-group.ts';

export const CHROMIUM = '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);

const PREFIX = `svc-browser-${process.pid}-`;
/** Group 0 has no process that is looked for: those are found that name a profile of this process. */
export const ownProcesses = (): number[] => processesOf(-1, PREFIX);

/** What runs of this process left on the machine. */
export const leftBehind = (): { folders: string[]; processes: number[] } => ({
  folders: readdirSync(os.tmpdir()).filter((name) => name.startsWith(PREFIX)),
  processes: ownProcesses(),
});

type Params = Extract<TestSpecInput, { type: 'browser' }>['params'];
export const browse = async (target: string, params: Params = {}, { seconds = 60, tools = {} } = {}): Promise<Measured> =>
  Schema.parse(
    await runTest(
      spec({ type: 'browser', target, params, timeout_seconds: seconds }),
      toolsWith({ chromium: CHROMIUM, ...tools }),
    ),
  );
