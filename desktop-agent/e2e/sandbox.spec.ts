import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startTrayDesktop } from '@svc/testkit/tray-desktop';
import { builtFace } from './build.ts';
import { electronDist } from './env.ts';

const NOBODY = 65_534;

/** Kernel's word on each process of a program: its arguments, whether system calls are filtered, whether it may gain rights. */
function processesOf(folder: string): { args: string; seccomp: string; noNewPrivs: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const read = (key: string): string => new RegExp(`^${key}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? '';
        return args.startsWith(folder) ? [{ args, seccomp: read('Seccomp'), noNewPrivs: read('NoNewPrivs') }] : [];
      } catch {
        return [];
      }
    });
}

test('for a person who is not root the renderer runs in the system’s sandbox', async () => {
  const work = mkdtempSync(join(tmpdir(), 'svc-sandbox-'));
  const desktop = await startTrayDesktop({ tray: false });
  const dist = join(work, 'electron');
  const home = join(work, 'home');
  chmodSync(work, 0o755);
  mkdirSync(home, { mode: 0o700 });
  // Where another user may read it; links where that is possible, for it is large.
  execFileSync('cp', ['-a', '-l', electronDist, dist]);
  cpSync(builtFace, join(work, 'app'), { recursive: true });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(home, NOBODY, NOBODY);
  const { DISPLAY = '', PATH = '' } = desktop.env;
  const env = { PATH, DISPLAY, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), SVC_AGENT_STATE_DIR: join(home, 'state') };
  const as = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : ['env'];
  const [program = '', ...args] = [...as, join(dist, 'electron'), '--disable-gpu', join(work, 'app')];
  const child = spawn(program, args, { env, stdio: 'ignore' });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  try {
    const renderers = () => processesOf(dist).filter((one) => one.args.includes('--type=renderer'));
    await expect.poll(() => renderers().length, { timeout: 20_000 }).toBeGreaterThan(0);
    // Filter mode: the kernel turns away every system call that a renderer has no business with.
    await expect.poll(() => renderers().map(({ seccomp, noNewPrivs }) => `${seccomp} ${noNewPrivs}`)).toEqual(['2 1']);
    for (const { args: given } of processesOf(dist)) expect(given).not.toContain('--no-sandbox');
  } finally {
    child.kill('SIGTERM');
    await gone;
    await desktop.stop();
    rmSync(work, { recursive: true, force: true });
  }
});
