import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openKeptFile } from '../kept-file.ts';
import { createProgramCopy } from './program-copy.ts';
import { createTrial, HEALTHY_WITHIN_MS, type Trial } from './trial.ts';

let folder: string;
let program: string;
let relaunched: number;
let lines: string[];
let open: Trial | undefined;
beforeEach(async () => {
  // The clock alone: the files are real.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = await mkdtemp(join(tmpdir(), 'svc-trial-'));
  program = join(folder, 'app', 'agent.AppImage');
  await mkdir(join(folder, 'app'));
  await writeFile(program, 'old', { mode: 0o755 });
  [relaunched, lines] = [0, []];
});
afterEach(async () => {
  open?.stop();
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** A start of this version of the program. */
function start(version: string, copy = createProgramCopy({ program, folder: join(folder, 'data', 'earlier') })): Trial {
  open?.stop();
  open = createTrial({
    file: openKeptFile(join(folder, 'update-trial.json')),
    copy,
    version,
    relaunch: () => {
      relaunched += 1;
    },
    log: (line) => lines.push(line),
  });
  return open;
}
const release = (version: string, file = 'a') => ({ version, sha512: `${file} of ${version}` });
const placed = (): Promise<string> => readFile(program, 'utf8');
const keptCopies = (): Promise<string[]> => readdir(join(folder, 'data', 'earlier')).catch(() => []);

/** 1.0.0 prepares, then the installer puts 2.0.0 in place. */
async function install(): Promise<void> {
  await start('1.0.0').prepare(release('2.0.0'));
  await writeFile(program, 'new');
}

describe('an update on trial', () => {
  it('is kept once it reports healthy, and nothing of the earlier version is left', async () => {
    await install();
    expect(await keptCopies()).toEqual(['program']);
    const trial = start('2.0.0');
    expect(await trial.begin()).toBe(false);
    await trial.reportHealthy();
    await vi.advanceTimersByTimeAsync(HEALTHY_WITHIN_MS);
    expect([await placed(), relaunched, await keptCopies()]).toEqual(['new', 0, []]);
    expect(await start('2.0.0').begin()).toBe(false);
    expect(await start('2.0.0').isRefused(release('2.0.0'))).toBe(false);
  });

  it('is rolled back where it ends twice before it reports', async () => {
    await install();
    expect(await start('2.0.0').begin()).toBe(false);
    expect(await start('2.0.0').begin()).toBe(false);
    expect(await start('2.0.0').begin()).toBe(true);
    expect([await placed(), relaunched]).toEqual(['old', 1]);
    expect((await stat(program)).mode & 0o777).toBe(0o755);
    expect(await readdir(join(folder, 'app'))).toEqual(['agent.AppImage']);
    expect(lines.join()).toContain('1.0.0 is back');
    const back = start('1.0.0');
    expect(await back.begin()).toBe(false);
    expect([await back.isRefused(release('2.0.0')), await back.isRefused(release('2.0.1'))]).toEqual([true, false]);
  });

  it('is taken again once its file was repaired under the same number, and refused again where that fails too', async () => {
    await install();
    for (const over of [false, false, true]) expect(await start('2.0.0').begin()).toBe(over);
    const repaired = release('2.0.0', 'b');
    expect(await start('1.0.0').isRefused(repaired)).toBe(false);
    await start('1.0.0').prepare(repaired);
    expect(await start('1.0.0').isRefused(release('2.0.0'))).toBe(true);
    await writeFile(program, 'repaired');
    for (const over of [false, false, true]) expect(await start('2.0.0').begin()).toBe(over);
    expect(await start('1.0.0').isRefused(repaired)).toBe(true);
  });

  it('refuses no file where the record of an earlier version names none', async () => {
    await writeFile(join(folder, 'update-trial.json'), '{"refused":"2.0.0"}');
    expect(await start('1.0.0').isRefused(release('2.0.0'))).toBe(false);
  });

  it('is rolled back where it runs and twice does not report in time', async () => {
    await install();
    for (const starts of [1, 2]) {
      expect(await start('2.0.0').begin()).toBe(false);
      await vi.advanceTimersByTimeAsync(HEALTHY_WITHIN_MS - 1);
      expect(relaunched).toBe(starts - 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(relaunched).toBe(starts);
    }
    expect(await start('2.0.0').begin()).toBe(true);
    expect(await placed()).toBe('old');
  });

  it('comes back to where the new one lies, also under another name', async () => {
    await install();
    await rm(program);
    program = join(folder, 'app', 'agent-2.0.0.AppImage');
    await writeFile(program, 'new');
    for (const over of [false, false, true]) expect(await start('2.0.0').begin()).toBe(over);
    expect(await placed()).toBe('old');
  });

  it('may fail once', async () => {
    await install();
    expect(await start('2.0.0').begin()).toBe(false);
    const second = start('2.0.0');
    expect(await second.begin()).toBe(false);
    await second.reportHealthy();
    expect(await start('2.0.0').begin()).toBe(false);
    expect([await placed(), relaunched]).toEqual(['new', 0]);
  });

  it('does not begin before it is installed, and a later one starts anew', async () => {
    await start('1.0.0').prepare(release('2.0.0'));
    for (let n = 0; n < 4; n += 1) expect(await start('1.0.0').begin()).toBe(false);
    await start('1.0.0').prepare(release('2.1.0'));
    for (let n = 0; n < 4; n += 1) expect(await start('2.0.0').begin()).toBe(false);
    expect(relaunched).toBe(0);
  });

  it('stays where the earlier version cannot be put back, and is tried no further', async () => {
    await install();
    await rm(join(folder, 'data'), { recursive: true });
    for (let n = 0; n < 4; n += 1) expect(await start('2.0.0').begin()).toBe(false);
    expect([await placed(), relaunched]).toEqual(['new', 0]);
    expect(lines.join()).toContain('could not be put back');
  });

  it('is not installed where the present version cannot be kept', async () => {
    const copy = createProgramCopy({ program: join(folder, 'nowhere'), folder: join(folder, 'data', 'earlier') });
    await expect(start('1.0.0', copy).prepare(release('2.0.0'))).rejects.toThrow('ENOENT');
    expect(await start('2.0.0').begin()).toBe(false);
  });

  it('is not one where the file is damaged or the program cannot be copied', async () => {
    await writeFile(join(folder, 'update-trial.json'), '{"to":2');
    expect(await start('2.0.0').begin()).toBe(false);
    const uncopied = createTrial({
      file: openKeptFile(join(folder, 'update-trial.json')),
      copy: undefined,
      version: '1.0.0',
      relaunch: () => undefined,
      log: () => undefined,
    });
    await uncopied.prepare(release('2.0.0'));
    expect(await uncopied.begin()).toBe(false);
  });
});

it('puts a folder back as a whole, with its links and modes', async () => {
  const app = join(folder, 'Network check.app');
  await mkdir(join(app, 'Contents'), { recursive: true });
  await writeFile(join(app, 'Contents', 'run'), 'old');
  await chmod(join(app, 'Contents', 'run'), 0o755);
  await symlink('Contents/run', join(app, 'start'));
  const copy = createProgramCopy({ program: app, folder: join(folder, 'earlier') });
  await copy.keep();
  await rm(app, { recursive: true });
  await mkdir(app);
  await writeFile(join(app, 'of the new one'), '');
  await copy.restore();
  expect(await readdir(app)).toEqual(['Contents', 'start']);
  expect(await readFile(join(app, 'start'), 'utf8')).toBe('old');
  expect((await stat(join(app, 'Contents', 'run'))).mode & 0o111).not.toBe(0);
});
