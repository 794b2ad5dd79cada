// Builds what Electron runs: main and preload as one CommonJS file each, the window's page, the icons.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildIcons } from './build-icons.js';
import { buildWindow } from './build-window.js';

const here = import.meta.dirname;
const common = { bundle: true, minify: true, logLevel: 'warning', legalComments: 'none' };

/** One bundle that runs on the Electron of the tests (Node 16, Chrome 108) and on the one that ships. */
function buildProcess(name, outfile) {
  return build({
    ...common,
    entryPoints: [join(here, 'src', name, `${name}.ts`)],
    outfile,
    platform: 'node',
    format: 'cjs',
    target: 'node16',
    keepNames: true,
    external: ['electron'],
  });
}

/**
 * Writes main.cjs, preload.cjs, renderer/, icons/ and the package.json that Electron looks for into a folder.
 * @param {string} folder
 * @returns {Promise<void>}
 */
export async function buildFace(folder) {
  await mkdir(join(folder, 'renderer'), { recursive: true });
  const { version } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
  const about = { name: 'svc-agent', productName: 'Network check', version, main: 'main.cjs' };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  await Promise.all([
    buildProcess('main', join(folder, 'main.cjs')),
    buildProcess('preload', join(folder, 'preload.cjs')),
    buildWindow(join(folder, 'renderer')),
    buildIcons(join(folder, 'icons')),
  ]);
}
