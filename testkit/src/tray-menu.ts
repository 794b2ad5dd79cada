import { spawnSync } from 'node:child_process';

type Environment = Readonly<Record<string, string>>;

/** Calls one method on the session bus of `env`, and gives what `dbus-send` prints of its answer. Throws what the bus says. */
function call(env: Environment, to: { dest: string; path: string; method: string }, ...args: string[]): string {
  const target = [`--dest=${to.dest}`, to.path, to.method, ...args];
  const { status, stdout, stderr } = spawnSync('dbus-send', ['--session', '--print-reply', ...target], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${to.method} of ${to.dest}: ${stderr.trim()}`);
  return stdout;
}

const read = (env: Environment, from: { dest: string; path: string }, ...property: [string, string]): string =>
  call(env, { ...from, method: 'org.freedesktop.DBus.Properties.Get' }, ...property.map((name) => `string:${name}`));

/** The numbers of a menu's items by their labels, of all levels, from a layout as `dbus-send` prints it: an item's number comes before its label. */
function readLabels(printed: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [, id, rest = ''] of printed.matchAll(/int32 (\d+)\n((?:(?!int32 ).)*)/gs)) {
    const label = /string "label"\s+variant\s+string "(.*)"/.exec(rest)?.[1];
    if (label !== undefined) found.set(label, Number(id));
  }
  return found;
}

/**
 * Chooses an item of the menu that the one program in the tray of this desktop exports: what a panel sends of a click on it. Throws where no item has
 * this label.
 */
export function chooseInTray(env: Environment, label: string): void {
  const watcher = { dest: 'org.kde.StatusNotifierWatcher', path: '/StatusNotifierWatcher' };
  const items = read(env, watcher, watcher.dest, 'RegisteredStatusNotifierItems');
  const [, dest, path] = /string "([^"/]+)(\/[^"]*)"/.exec(items) ?? [];
  if (!dest || !path) throw new Error(`No program is in the tray: ${items}`);
  const place = /object path "([^"]+)"/.exec(read(env, { dest, path }, 'org.kde.StatusNotifierItem', 'Menu'))?.[1] ?? '/';
  const menu = (method: string, ...args: string[]): string =>
    call(env, { dest, path: place, method: `com.canonical.dbusmenu.${method}` }, ...args);
  const labels = readLabels(menu('GetLayout', 'int32:0', 'int32:-1', 'array:string:'));
  const id = labels.get(label);
  if (id === undefined) throw new Error(`The tray's menu has no "${label}", but ${[...labels.keys()].join(', ')}.`);
  menu('Event', `int32:${id}`, 'string:clicked', 'variant:string:', 'uint32:0');
}
