import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const given = process.env.SVC_TEST_ELECTRON_DIST;
const packaged = (): string => join(dirname(createRequire(import.meta.url).resolve('electron/package.json')), 'dist');

/** Folder of a real Electron: `SVC_TEST_ELECTRON_DIST`, else where the package of that name puts its own. */
export const electronDist = given ?? packaged();
export const electronProgram = join(electronDist, process.platform === 'win32' ? 'electron.exe' : 'electron');

/** Undefined, or why nothing can be run on a real Electron here. */
export const whyNoElectron = existsSync(electronProgram)
  ? undefined
  : `no Electron at ${electronProgram}: set SVC_TEST_ELECTRON_DIST to the folder of one`;
