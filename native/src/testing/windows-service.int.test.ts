import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startWindows, type WindowsMachine, windowsMissing, windowsPath } from './windows-machine.ts';

const missing = await windowsMissing();
if (missing) console.warn(`Windows does not run here: ${missing}`);

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const PROGRAM = pathOf('windows-service.ts');
const SC = 'C:\\windows\\system32\\sc.exe';

describe.skipIf(missing)("under Windows' service manager (wine)", () => {
  let windows: WindowsMachine;
  let askService: string;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-service-'));
    windows = await startWindows();
    askService = await windows.compile(pathOf('ask-service.c'), 'ask-service.exe');
  });
  afterAll(async () => {
    for (const how of ['well', 'fail', 'crash']) await windows.run(SC, ['delete', how]);
    await windows.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (name: string, ...control: string[]): Promise<string> =>
    (await windows.run(askService, [name, ...control])).output.trim();
  const until = (name: string, state: string) =>
    vi.waitFor(async () => expect(await ask(name)).toBe(state), { timeout: 40_000, interval: 300 });
  const endsWith = (name: string, code: number) =>
    vi.waitFor(() => expect(readFileSync(join(folder, `${name}.words`), 'utf8')).toContain(`exit ${code}`), { timeout: 20_000 });
  /** Gives what reads the notes of the service. */
  const start = async (name: string): Promise<() => string[]> => {
    const notes = join(folder, name);
    const command = windows.serviceCommand(PROGRAM, [windowsPath(notes), name], { output: `${notes}.words` });
    // What an earlier test left that was ended in its midst.
    await windows.run(SC, ['delete', name]);
    expect(await windows.run(SC, ['create', name, 'binPath=', command, 'start=', 'demand'])).toMatchObject({ code: 0 });
    expect(await windows.run(SC, ['start', name])).toMatchObject({ code: 0 });
    return () => readFileSync(notes, 'utf8').trim().split('\n');
  };

  it('says so where no service manager started it', async () => {
    const notes = join(folder, 'by-hand');
    expect(await windows.run(PROGRAM, [windowsPath(notes)])).toMatchObject({ code: 1 });
    expect(readFileSync(notes, 'utf8')).toContain('did not start this program');
  });

  it('starts, runs, answers and stops', async () => {
    const notes = await start('well');
    await until('well', '4 0 0 0 0');
    const { length } = notes();
    expect(await ask('well', '4')).toBe('4 0 0 0 0');
    await vi.waitFor(() => expect(notes().length).toBeGreaterThan(length + 2));
    expect(await windows.run(SC, ['stop', 'well'])).toMatchObject({ code: 0 });
    await until('well', '1 0 0 0 0');
    await vi.waitFor(() => expect(notes()).toContain('stopped'));
    expect(notes().filter((note) => note !== 'beat')).toEqual(['begun', 'SERVICE_CONTROL_STOP', 'stopped']);
  });

  it('tells its own exit code', async () => {
    await start('fail');
    await until('fail', '4 0 0 0 0');
    await windows.run(SC, ['stop', 'fail']);
    await until('fail', '1 1066 2 0 0');
  });

  it('is not held by the dispatcher when it ends without a word', async () => {
    await start('crash');
    await endsWith('crash', 3);
  });
});
