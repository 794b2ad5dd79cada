import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseInTray } from './tray-menu.ts';

/** What a small Linux desktop is put together from, by Debian's package. */
const PROGRAMS: Readonly<Record<string, string>> = {
  Xvfb: 'xvfb',
  'dbus-daemon': 'dbus',
  'dbus-send': 'dbus',
  'xfce4-panel': 'xfce4-panel',
  xdotool: 'xdotool',
  import: 'imagemagick',
};
const WATCHER = 'org.kde.StatusNotifierWatcher';
const START_MS = 15_000;
const LOOK_MS = 100;

export interface TrayDesktopOptions {
  /** False: a desktop that shows no tray icons, as stock GNOME is. */
  tray?: boolean;
  dark?: boolean;
}

/** A real desktop on a screen of its own: X server, session bus and, where wanted, a panel whose tray speaks StatusNotifier. */
export interface TrayDesktop {
  /** For programs that are to run on it. */
  env: Readonly<Record<string, string>>;
  home: string;
  /** Starts the panel on a desktop that began without one. */
  startPanel(): Promise<void>;
  /** Writes what the screen shows, as PNG. */
  shoot(path: string): void;
  /** Moves the pointer and presses a button: 1 left, 3 right. */
  click(x: number, y: number, button?: 1 | 3): void;
  /** Presses keys one after the other, by X names such as `Down` and `Return`. */
  press(...keys: string[]): void;
  /** Chooses an item of the menu of the program in the tray, by its label, as the panel does after a click on it. */
  choose(label: string): void;
  stop(): Promise<void>;
}

/** Undefined, or which programs are missing. */
export function findWhyNoDesktop(): string | undefined {
  if (process.platform !== 'linux') return 'a tray desktop is put together on Linux only';
  const missing = Object.keys(PROGRAMS).filter((name) => spawnSync('which', [name], { stdio: 'ignore' }).status !== 0);
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} missing (Debian: ${[...new Set(missing.map((name) => PROGRAMS[name]))].join(' ')})`;
}

const panelConfig = (dark: boolean): string => `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array"><value type="int" value="1"/>
    <property name="dark-mode" type="bool" value="${dark}"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty"><property name="plugin-1" type="string" value="systray"/></property>
</channel>
`;

/** The first line that a program writes to a descriptor. */
async function firstLine(child: ChildProcess, descriptor: number): Promise<string> {
  const stream = child.stdio[descriptor];
  if (!stream || !('setEncoding' in stream)) throw new Error('no such descriptor');
  stream.setEncoding('utf8');
  const over = once(child, 'exit').then(() => Promise.reject(new Error(`${child.spawnfile} ended before it was ready`)));
  over.catch(() => undefined);
  const [text] = await Promise.race([once(stream, 'data'), over]);
  return String(text).trim();
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), 3000);
  await gone;
  clearTimeout(limit);
}

async function waitForTray(env: NodeJS.ProcessEnv): Promise<void> {
  const question = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner'];
  for (let waited = 0; waited < START_MS; waited += LOOK_MS) {
    const { stdout } = spawnSync('dbus-send', [...question, `string:${WATCHER}`], { env, encoding: 'utf8' });
    if (stdout.includes('boolean true')) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('The panel offered no tray.');
}

/** Only what programs need to be found; nothing of the tests' own settings or desktop reaches them. */
const CLEAN = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' } as const;
const printing3 = ['ignore', 'ignore', 'ignore', 'pipe'] as const;

/** The folders of a person who has just been given an account, with the panel's settings in them. */
function makeHome({ tray, dark }: Required<TrayDesktopOptions>): Record<string, string> & { HOME: string } {
  const home = mkdtempSync(join(tmpdir(), 'svc-desktop-'));
  const config = join(home, 'config');
  const runtime = join(home, 'run');
  const channels = join(config, 'xfce4', 'xfconf', 'xfce-perchannel-xml');
  mkdirSync(channels, { recursive: true });
  mkdirSync(runtime, { mode: 0o700 });
  writeFileSync(join(channels, 'xfce4-panel.xml'), panelConfig(dark));
  return {
    ...CLEAN,
    HOME: home,
    XDG_CONFIG_HOME: config,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_RUNTIME_DIR: runtime,
    XDG_CURRENT_DESKTOP: tray ? 'XFCE' : 'GNOME',
    GTK_THEME: dark ? 'Adwaita:dark' : 'Adwaita',
  };
}

async function startScreen(env: Record<string, string>): Promise<{ child: ChildProcess; display: string }> {
  const args = ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'];
  const child = spawn('Xvfb', args, { stdio: [...printing3], env });
  return { child, display: `:${await firstLine(child, 3)}` };
}

async function startBus(env: Record<string, string>): Promise<{ child: ChildProcess; address: string }> {
  // By path: an abstract name would be out of reach for programs on an older Node.
  const address = `--address=unix:path=${env.XDG_RUNTIME_DIR}/bus`;
  const child = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=3', address], { stdio: [...printing3], env });
  return { child, address: await firstLine(child, 3) };
}

/** Starts a desktop. Throws where a program is missing or does not start; `stop` ends all of it. */
export async function startTrayDesktop({ tray = true, dark = false }: TrayDesktopOptions = {}): Promise<TrayDesktop> {
  const home = makeHome({ tray, dark });
  const screen = await startScreen(home);
  const bus = await startBus({ ...home, DISPLAY: screen.display });
  const children = [screen.child, bus.child];
  const env: Record<string, string> = { ...home, DISPLAY: screen.display, DBUS_SESSION_BUS_ADDRESS: bus.address };
  // A test that runs out of time never comes to its end.
  const onExit = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', onExit);
  const run = (program: string, args: readonly string[]): void => void execFileSync(program, args, { env, stdio: 'ignore' });
  const desktop: TrayDesktop = {
    env,
    home: home.HOME,
    async startPanel() {
      children.push(spawn('xfce4-panel', ['--disable-wm-check'], { stdio: 'ignore', env }));
      await waitForTray(env);
    },
    shoot: (path) => run('import', ['-window', 'root', path]),
    click: (x, y, button = 1) => run('xdotool', ['mousemove', String(x), String(y), 'click', String(button)]),
    press: (...keys) => run('xdotool', ['key', '--delay', '60', ...keys]),
    choose: (label) => chooseInTray(env, label),
    async stop() {
      process.off('exit', onExit);
      for (const child of children.reverse()) await stopChild(child);
      rmSync(home.HOME, { recursive: true, force: true });
    },
  };
  if (tray) await desktop.startPanel().catch((error) => desktop.stop().then(() => Promise.reject(error)));
  return desktop;
}
