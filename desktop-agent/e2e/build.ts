import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAgent } from '../build.js';
import { buildFace } from '../build-face.js';

/** Inside the repository, where the packages left out of the bundle are found; beside each other, as they are in a package. */
const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'face-e2e');
export const builtFace = join(folder, 'app');
export const builtAgent = join(folder, 'svc-agent.mjs');

/** The same face behind a file that keeps what the tray was given: Electron does not tell it. */
export const watchedFace = join(folder, 'watched');

const WATCH_TRAY = `
const Module = require('node:module');
const electron = require('electron');
const seen = (globalThis.seenTray = { menu: null, tooltip: '' });
function Tray(image) {
  const tray = new electron.Tray(image);
  const { setContextMenu, setToolTip } = tray;
  tray.setContextMenu = (menu) => setContextMenu.call(tray, (seen.menu = menu));
  tray.setToolTip = (text) => setToolTip.call(tray, (seen.tooltip = text));
  return tray;
}
const watched = Object.create(electron, { Tray: { value: Tray, enumerable: true } });
for (const name of Object.keys(electron)) if (name !== 'Tray') Object.defineProperty(watched, name, { get: () => electron[name], enumerable: true });
const load = Module._load;
Module._load = (id, ...others) => (id === 'electron' ? watched : load.call(Module, id, ...others));
require('../app/main.cjs');
`;

/** Agent and face as they ship; once for a run. */
export async function buildAll(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await buildAgent(folder);
  await buildFace(builtFace);
  mkdirSync(watchedFace);
  cpSync(join(builtFace, 'package.json'), join(watchedFace, 'package.json'));
  writeFileSync(join(watchedFace, 'main.cjs'), WATCH_TRAY);
}
