import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { childEnv, root } from '../env.js';
import { fetchPackage } from './fetch-package.ts';
import { type Environment, findMissingSigning } from './signing.ts';
import { stageAgent } from './stage-agent.ts';
import { DEBIAN_ARCH, type Target } from './targets.ts';

const NFPM = 'github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0';
const tools = join(root, 'node_modules', '.cache', 'svc-package', 'bin');

export interface HeadlessOptions {
  arch: Target['arch'];
  /** Semantic version. */
  version: string;
  /** Where deb and rpm go. */
  out: string;
  /** Unix seconds of every file, so that the same sources give the same package. */
  sourceDate: number;
  /** False packs in seconds instead of a minute; for tests. */
  isSmall: boolean;
  env: Environment;
}

/** nfpm, built by Go once; throws with what to do where there is neither. */
export function findNfpm(): string {
  const own = join(tools, 'nfpm');
  if (existsSync(own)) return own;
  try {
    execFileSync('go', ['install', NFPM], { env: childEnv({ GOBIN: tools }), stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (cause) {
    throw new Error(
      `nfpm builds the Linux packages and is itself built by Go: install Go 1.23 or newer, then try again (${NFPM}).`,
      {
        cause,
      },
    );
  }
  return own;
}

/** Both formats carry a signature of their own where a key is given; nfpm reads its passphrase from NFPM_PASSPHRASE. */
function sign(config: string, env: Environment): string {
  const key = env.SVC_LINUX_SIGNING_KEY_FILE;
  if (!key) return config;
  const signature = `  signature:\n    key_file: ${JSON.stringify(resolve(key))}\n`;
  return config.replace(/^(deb|rpm):\n/gm, (line) => `${line}${signature}`);
}

async function stage(folder: string, { arch, isSmall, env }: HeadlessOptions): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'deploy', 'linux'), folder, { recursive: true });
  const agent = join(folder, 'agent');
  await stageAgent(agent, { platform: 'linux', arch });
  mkdirSync(join(agent, 'bin'));
  const node = join(agent, 'bin', 'node');
  const nodePackage = fetchPackage(`node-linux-${arch}`);
  copyFileSync(join(nodePackage, 'bin', 'node'), node);
  chmodSync(node, 0o755);
  copyFileSync(join(nodePackage, 'LICENSE'), join(agent, 'bin', 'LICENSE'));
  const config = join(folder, 'nfpm.yaml');
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, sign(isSmall ? text : text.replace('compression: xz', 'compression: zstd'), env));
}

/** Builds deb and rpm of the agent without a window; gives their paths. */
export async function packageHeadless(options: HeadlessOptions): Promise<string[]> {
  const { arch, version, out, sourceDate } = options;
  const missing = findMissingSigning({ platform: 'linux', headless: true }, options.env);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  const nfpm = findNfpm();
  const folder = join(out, `headless-${arch}`);
  mkdirSync(out, { recursive: true });
  await stage(folder, options);
  const env = childEnv({
    ...options.env,
    NFPM_ARCH: DEBIAN_ARCH[arch],
    VERSION: version,
    SOURCE_DATE_EPOCH: String(sourceDate),
  });
  for (const packager of ['deb', 'rpm'])
    execFileSync(nfpm, ['package', '--config', 'nfpm.yaml', '--packager', packager, '--target', out], {
      cwd: folder,
      env,
      stdio: 'pipe',
    });
  const words = [`_${DEBIAN_ARCH[arch]}.deb`, `.${arch === 'x64' ? 'x86_64' : 'aarch64'}.rpm`];
  return readdirSync(out)
    .filter((name) => name.includes(version) && words.some((word) => name.endsWith(word)))
    .map((name) => join(out, name))
    .sort();
}

export const agentVersion = (): string =>
  (JSON.parse(readFileSync(join(root, 'desktop-agent', 'package.json'), 'utf8')) as { version: string }).version;
