import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIMIT_MS = 20_000;
export const NOBODY = 65_534;

/** Only what programs need to be found; nothing of the tests' own settings reaches them. */
function inheritedEnv(): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
}

/** Runs a program as root; throws with what it wrote to its error output. */
export async function runProgram(argv: readonly string[], input?: string): Promise<string> {
  const [program = '', ...rest] = argv;
  const child = run(program, rest, { timeout: LIMIT_MS, env: inheritedEnv() });
  // A program that reads nothing may be gone before this is written.
  child.child.stdin?.on('error', () => undefined);
  child.child.stdin?.end(input ?? '');
  return (await child).stdout;
}

const PROGRAMS = { ip: 'iproute2', setpriv: 'util-linux', unshare: 'util-linux' } as const;
const FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'] as const;
const succeeds = (argv: readonly string[]): boolean =>
  spawnSync(argv[0] ?? '', argv.slice(1), { stdio: 'ignore', env: inheritedEnv() }).status === 0;

let known: { reason: string | undefined } | undefined;

/** Why no lab can be made here, or undefined where one can. Found out once in a process. */
export function netlabUnavailable(): string | undefined {
  known ??= { reason: findReason() };
  return known.reason;
}

function findReason(): string | undefined {
  if (process.platform !== 'linux') return `network namespaces need Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const [program, name] of Object.entries(PROGRAMS)) {
    if (!FOLDERS.some((folder) => existsSync(`${folder}/${program}`))) {
      return `the program ${program} is missing (Debian: ${name})`;
    }
  }
  if (!succeeds(['unshare', '--net', '--mount', 'ip', 'link', 'add', 'svca', 'type', 'veth', 'peer', 'name', 'svcb'])) {
    return 'this system permits no network namespaces with veth pairs';
  }
  const here = fileURLToPath(import.meta.url);
  const asUser = [...dropTo(NOBODY), process.execPath, '-e', `require('node:fs').readFileSync(${JSON.stringify(here)})`];
  return succeeds(asUser) ? undefined : 'an ordinary user (uid 65534) cannot read this checkout or run its Node';
}

export interface ExecOptions {
  /** Default 65534: an ordinary user without any capability. 0 stays root. */
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default 60000. */
  readonly timeoutMs?: number;
  readonly input?: string;
}

export interface ExecResult {
  /** Exit status; null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An ordinary user, without any capability or a way back. */
function dropTo(uid: number): string[] {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    '--bounding-set=-all',
    '--inh-caps=-all',
    '--no-new-privs',
  ];
}

/** argv that runs inside a namespace as the given user. */
export function insideNamespace(namespace: string, argv: readonly string[], uid: number): string[] {
  return ['ip', 'netns', 'exec', namespace, ...(uid === 0 ? [] : dropTo(uid)), ...argv];
}

/** Starts a program without a shell; the caller owns it. */
export function startProgram(argv: readonly string[], options: ExecOptions): ChildProcess {
  const [program = '', ...rest] = argv;
  const env = options.env ? { ...inheritedEnv(), ...options.env } : inheritedEnv();
  return spawn(program, rest, { env, stdio: 'pipe', ...(options.cwd === undefined ? {} : { cwd: options.cwd }) });
}

/** Runs a program to its end or its time limit. */
export function collectOutput(child: ChildProcess, options: ExecOptions): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 60_000);
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}
