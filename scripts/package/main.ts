import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { childEnv, root } from '../env.js';
import { packageDesktop, toolsFolder } from './desktop.ts';
import { agentVersion, packageHeadless } from './headless.ts';
import { packageServiceMsi } from './service-msi.ts';
import { packageServicePkg } from './service-pkg.ts';
import type { Target } from './targets.ts';

const HELP = `npm run package:agent -- [--platform linux|darwin|win32] [--arch x64|arm64] [--headless | --dir]

Packages of the endpoint agent, into deploy/desktop/dist.

  (nothing)     the program with a window for this system: AppImage, deb, rpm; dmg, zip, pkg; nsis, msi
  --dir         only its unpacked folder
  --headless    the service of a machine, with a Node of its own: deb and rpm for Linux (needs Go); with --platform win32 an msi (made on
                Linux, needs wixl and msitools), with --platform darwin a pkg (made on a Mac)

SVC_RELEASE_BUILD=1 makes a release: it is signed, or refused with what is missing. docs/devices/deploy-agents.md tells more.`;

/** Unix seconds of the last commit, so that the same commit gives the same package; now where this is no git checkout. */
function sourceDate(): number {
  try {
    return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }));
  } catch {
    return Math.floor(Date.now() / 1000);
  }
}

const oneOf = <T extends string>(given: string, known: readonly T[], name: string): T => {
  const found = known.find((one) => one === given);
  if (found === undefined) throw new Error(`--${name} is one of ${known.join(', ')}.`);
  return found;
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      platform: { type: 'string', default: process.platform },
      arch: { type: 'string', default: process.arch },
      headless: { type: 'boolean', default: false },
      dir: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.log(HELP);
  const platform = oneOf<Target['platform']>(values.platform, ['linux', 'darwin', 'win32'], 'platform');
  const arch = oneOf<Target['arch']>(values.arch, ['x64', 'arm64'], 'arch');
  const out = join(toolsFolder, 'dist');
  mkdirSync(out, { recursive: true });
  const env = childEnv();
  if (!values.headless) {
    console.log(await packageDesktop({ platform, arch, out, env, isFolder: values.dir }));
    return;
  }
  const version = agentVersion();
  const make: Record<Target['platform'], () => Promise<string | string[]>> = {
    linux: () => packageHeadless({ arch, version, out, sourceDate: sourceDate(), isSmall: true, env }),
    win32: () => packageServiceMsi({ arch, version, out, env }),
    darwin: () => packageServicePkg({ arch, version, out, env }),
  };
  for (const path of [await make[platform]()].flat()) console.log(path);
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
