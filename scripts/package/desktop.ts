import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildFace } from '../../desktop-agent/build-face.js';
import { RELEASE_PINS_FILE } from '../../desktop-agent/src/update/release-pins.ts';
import { childEnv, root } from '../env.js';
import { describeBuild } from './builder-config.ts';
import { agentVersion } from './headless.ts';
import { type Environment, findMissingSigning, isReleaseBuild, readPinnedKeys } from './signing.ts';
import { stageAgent } from './stage-agent.ts';
import type { Target } from './targets.ts';

export const toolsFolder = join(root, 'deploy', 'desktop');

export interface DesktopOptions extends Target {
  out: string;
  env: Environment;
  /** Only the unpacked program, without installers. */
  isFolder: boolean;
  /** An unpacked Electron and its version; undefined: the one that ships, fetched by electron-builder. */
  electron?: { dist: string; version: string };
}

/** Installs electron-builder from its own lock file, once: nobody who only runs the product pays for it. */
export function ensureTools(): void {
  if (existsSync(join(toolsFolder, 'node_modules', 'electron-builder', 'package.json'))) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: toolsFolder,
    env: childEnv(),
    stdio: 'inherit',
  });
}

/** A module of the packaging tools. */
export async function loadTool(name: string): Promise<Record<string, unknown>> {
  const require = createRequire(join(toolsFolder, 'package.json'));
  return (await import(pathToFileURL(require.resolve(name)).href)) as Record<string, unknown>;
}

function shippedElectron(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'desktop-agent', 'package.json'), 'utf8'));
  return (devDependencies as Record<string, string>).electron ?? '';
}

interface Folders {
  stage: string;
  service: string;
}

async function stage(folder: string, options: DesktopOptions): Promise<Folders> {
  const app = join(folder, 'stage', 'app');
  mkdirSync(app, { recursive: true });
  await buildFace(app);
  const pins = { keys: readPinnedKeys(options.env), builtAtMs: Date.now() };
  writeFileSync(join(app, RELEASE_PINS_FILE), `${JSON.stringify(pins)}\n`);
  const about = {
    name: 'svc-agent',
    productName: 'Network check',
    version: agentVersion(),
    description: 'Says what is slow in this device’s network and why.',
    author: 'Network Observability Service <maintainers@network-observability.example>',
    homepage: 'https://network-observability.example',
    license: 'Apache-2.0',
    main: 'app/main.cjs',
  };
  writeFileSync(join(folder, 'stage', 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  const service = join(folder, 'service');
  await stageAgent(service, options);
  return { stage: join(folder, 'stage'), service };
}

const PLATFORM_TARGETS = { linux: 'LINUX', darwin: 'MAC', win32: 'WINDOWS' } as const;

/**
 * Packages the program with a window for one system. Throws before anything is built where a release could not be signed. macOS packages
 * are made on a Mac, Windows packages on Windows or, unsigned, under wine.
 */
export async function packageDesktop(options: DesktopOptions): Promise<string> {
  const { platform, out, env } = options;
  const missing = findMissingSigning({ platform, headless: false }, env);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  ensureTools();
  // Outside of this repository: electron-builder would take the packages of a workspace that it stands in.
  const work = mkdtempSync(join(tmpdir(), 'svc-desktop-'));
  try {
    await runBuilder(await stage(work, options), options);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return out;
}

async function runBuilder(folders: Folders, { platform, arch, out, env, isFolder, electron }: DesktopOptions): Promise<void> {
  const builder = (await loadTool('electron-builder')) as {
    build(options: object): Promise<string[]>;
    Platform: Record<string, { createTarget(names: readonly string[] | null, arch: number): unknown }>;
    Arch: Record<string, number>;
  };
  const names = isFolder ? ['dir'] : null;
  const isRelease = isReleaseBuild(env);
  await builder.build({
    targets: builder.Platform[PLATFORM_TARGETS[platform]]?.createTarget(names, builder.Arch[arch] ?? 0),
    config: describeBuild({
      ...folders,
      out,
      electronVersion: electron?.version ?? shippedElectron(),
      electronDist: electron?.dist,
      isRelease,
    }),
    publish: 'never',
    projectDir: folders.stage,
  });
}
