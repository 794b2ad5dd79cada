import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Electron } from './electron.ts';

/** Whether the face starts when this person signs in. */
export interface StartAtLogin {
  isOn(): boolean;
  /** Throws nothing: a system that refuses leaves it as it was, which the next `isOn` tells. */
  set(on: boolean): void;
}

/** Told apart from a start by a person, who wants to see the window. */
export const HIDDEN_FLAG = '--hidden';

export interface LinuxStart {
  /** `~/.config` */
  configDir: string;
  /** Where the package's own entry lies; it is overruled by one of the same name in the person's folder. */
  systemDir: string;
  program: string;
  args: readonly string[];
}

const FILE = 'svc-agent.desktop';
/** Desktop Entry Specification, "The Exec key": quoted, with the characters escaped that mean something inside quotes. */
const quote = (arg: string): string =>
  `"${arg
    .replace(/[\\"`$]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;

export function desktopEntry({ program, args }: Pick<LinuxStart, 'program' | 'args'>, on: boolean): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Network check',
    `Exec=${[program, ...args, HIDDEN_FLAG].map(quote).join(' ')}`,
    'NoDisplay=true',
    'X-GNOME-Autostart-enabled=true',
    ...(on ? [] : ['Hidden=true']),
    '',
  ].join('\n');
}

/** An entry in the person's autostart folder; off hides the package's entry, or takes our own away. */
export function linuxStart(options: LinuxStart): StartAtLogin {
  const own = join(options.configDir, 'autostart', FILE);
  const system = join(options.systemDir, 'autostart', FILE);
  const isOn = (path: string): boolean => existsSync(path) && !/^Hidden\s*=\s*true\s*$/m.test(readFileSync(path, 'utf8'));
  return {
    isOn: () => isOn(existsSync(own) ? own : system),
    set(on) {
      try {
        if (!on && !existsSync(system)) return rmSync(own, { force: true });
        mkdirSync(dirname(own), { recursive: true, mode: 0o700 });
        writeFileSync(own, desktopEntry(options, on), { mode: 0o600 });
      } catch {
        // A folder that may not be written: `isOn` says so.
      }
    },
  };
}

/** macOS and Windows keep it themselves. */
export function systemStart(app: Electron['app'], args: readonly string[]): StartAtLogin {
  const options = { path: process.execPath, args: [...args, HIDDEN_FLAG] };
  return {
    isOn: () => app.getLoginItemSettings(options).openAtLogin,
    set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, ...options }),
  };
}
