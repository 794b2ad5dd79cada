import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../env.ts';

export const serverProgram = join(root, 'server', 'dist', 'main.js');
export const svcProgram = join(root, 'server', 'dist', 'svc.js');
export const agentProgram = join(root, 'desktop-agent', 'dist', 'svc-agent.mjs');
const BUILD_LIMIT_MS = 120_000;

interface Build {
  workspace: 'server' | 'desktop-agent';
  /** Workspaces whose sources are bundled. */
  from: readonly string[];
  makes: readonly string[];
}

const SERVER: Build = { workspace: 'server', from: ['server', 'contracts'], makes: [serverProgram, svcProgram] };
const AGENT: Build = {
  workspace: 'desktop-agent',
  from: ['desktop-agent', 'contracts', 'native', 'probes'],
  makes: [agentProgram],
};

function newestSource({ from }: Build): number {
  const files = from.flatMap((workspace) =>
    readdirSync(join(root, workspace, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return Math.max(...files.map((path) => statSync(path).mtimeMs));
}

function isFresh(build: Build): boolean {
  const newest = newestSource(build);
  return build.makes.every((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > newest);
}

/** A folder is made by one process only; the others wait until it is gone. */
async function withLock(name: string, work: () => void): Promise<void> {
  const lock = join(root, 'node_modules', '.cache', `svc-build-${name}.lock`);
  mkdirSync(join(lock, '..'), { recursive: true });
  for (const end = Date.now() + BUILD_LIMIT_MS; ; await sleep(100)) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'EEXIST') throw error;
      // Left by a run that was killed.
      if (Date.now() > end) rmSync(lock, { recursive: true, force: true });
    }
  }
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

async function ensureBuilt(build: Build): Promise<void> {
  if (isFresh(build)) return;
  await withLock(build.workspace, () => {
    if (isFresh(build)) return;
    const cwd = join(root, build.workspace);
    const built = spawnSync(process.execPath, ['build.js'], { cwd, encoding: 'utf8', timeout: BUILD_LIMIT_MS });
    if (built.status !== 0) throw new Error(`${build.workspace} does not build:\n${built.stderr}`);
  });
}

/** Builds the server as it ships, unless the build is newer than every source. */
export const ensureServerBuilt = (): Promise<void> => ensureBuilt(SERVER);

/** The same for the agent. */
export const ensureAgentBuilt = (): Promise<void> => ensureBuilt(AGENT);
