import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSettings } from './face-settings.ts';
import { desktopEntry, linuxStart } from './start-at-login.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = () =>
  linuxStart({ configDir: join(folder, 'own'), systemDir: join(folder, 'system'), program: '/opt/Network check/app', args: [] });
const own = () => join(folder, 'own', 'autostart', 'svc-agent.desktop');

describe('start at login on Linux', () => {
  it('writes an entry of the person’s own and takes it away again', () => {
    expect(start().isOn()).toBe(false);
    start().set(true);
    expect(start().isOn()).toBe(true);
    expect(readFileSync(own(), 'utf8')).toContain('Exec="/opt/Network check/app" "--hidden"');
    start().set(false);
    expect(start().isOn()).toBe(false);
    expect(() => statSync(own())).toThrow();
  });

  it('overrules the entry of a package by hiding it, which the next start finds', () => {
    mkdirSync(join(folder, 'system', 'autostart'), { recursive: true });
    writeFileSync(join(folder, 'system', 'autostart', 'svc-agent.desktop'), '[Desktop Entry]\nType=Application\n');
    expect(start().isOn()).toBe(true);
    start().set(false);
    expect(start().isOn()).toBe(false);
    expect(readFileSync(own(), 'utf8')).toContain('Hidden=true');
    start().set(true);
    expect(start().isOn()).toBe(true);
  });

  it('leaves everything as it was where the folder cannot be written', () => {
    writeFileSync(join(folder, 'own'), 'a file, not a folder');
    start().set(true);
    expect(start().isOn()).toBe(false);
  });

  it('escapes what a desktop would read as something else', () => {
    const entry = desktopEntry({ program: '/a"b$c`d\\e', args: ['100%'] }, true);
    // Twice: once for the quotes of the command, once for the file's own text.
    expect(entry).toContain('Exec="/a\\\\"b\\\\$c\\\\`d\\\\\\\\e" "100%%" "--hidden"');
  });
});

describe('the settings of the face', () => {
  it('are kept for this account alone, over a damaged file too', async () => {
    const path = join(folder, 'face.json');
    const store = await openSettings(path, null);
    expect(store.current()).toEqual({ language: 'system', theme: 'system', startAtLogin: null });
    await store.change({ language: 'fr', startAtLogin: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await openSettings(path, null)).current()).toEqual({ language: 'fr', theme: 'system', startAtLogin: null });
    writeFileSync(path, '{"language":"xx","theme":"dark","toldNoTray":false}');
    expect((await openSettings(path, null)).current().theme).toBe('system');
    writeFileSync(path, '{"lang');
    expect((await openSettings(path, null)).current().language).toBe('system');
  });

  it('tell once that there is no tray, and remember it', async () => {
    const path = join(folder, 'face.json');
    const store = await openSettings(path, start());
    expect([store.tellNoTray(), store.tellNoTray()]).toEqual([true, false]);
    await store.change({});
    expect((await openSettings(path, start())).tellNoTray()).toBe(false);
  });
});
