// The agent's window and tray: where an Electron is, whether there is a screen for it, and what its tests need.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, setting } from './env.js';
import { startChild } from './processes.js';

const isWindows = process.platform === 'win32';
const program = isWindows ? 'electron.exe' : process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron';
const faceFolder = join(root, 'desktop-agent', 'dist', 'app');

/** Electron's program: in SVC_TEST_ELECTRON_DIST, else where its package puts it ("npm exec install-electron"); undefined where neither is. */
export function findElectron() {
  const path = join(setting('SVC_TEST_ELECTRON_DIST') ?? join(root, 'node_modules', 'electron', 'dist'), program);
  return existsSync(path) ? path : undefined;
}

const hasScreen = () => process.platform !== 'linux' || Boolean(setting('DISPLAY') || setting('WAYLAND_DISPLAY'));

/** Whether the window of the agent can be shown here. */
export const canShowFace = () => hasScreen() && findElectron() !== undefined;

/** Starts tray and window beside an agent that runs already; they never start one of their own. */
export function startFace(stateDir) {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = [...sandbox, faceFolder, '--hidden', '--attach'];
  return startChild(findElectron(), args, { env: { SVC_AGENT_STATE_DIR: stateDir }, stdout: 'ignore', stderr: 'ignore' });
}

/** What the small desktop of the tests is put together from, by Debian's package. */
const DESKTOP = {
  Xvfb: 'xvfb',
  'dbus-daemon': 'dbus',
  'dbus-send': 'dbus',
  'xfce4-panel': 'xfce4-panel',
  xdotool: 'xdotool',
  import: 'imagemagick',
};

/** Undefined, or why the tests of tray and window on a real Electron cannot run here. */
export function findWhyNoFaceTests() {
  if (process.platform !== 'linux') return 'a desktop with a tray is put together on Linux only';
  if (!findElectron()) return 'no Electron: set SVC_TEST_ELECTRON_DIST to the folder of one';
  const missing = Object.keys(DESKTOP).filter((name) => spawnSync('which', [name], { stdio: 'ignore' }).status !== 0);
  if (missing.length === 0) return undefined;
  return `no desktop: apt-get install ${[...new Set(missing.map((name) => DESKTOP[name]))].join(' ')}`;
}
