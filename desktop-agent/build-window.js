import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const source = join(import.meta.dirname, 'src', 'renderer');

/**
 * Writes the window's page into a folder: index.html, index.js, index.css and its typeface; nothing comes from elsewhere.
 * @param {string} folder
 * @returns {Promise<void>}
 */
export async function buildWindow(folder) {
  await build({
    entryPoints: { index: join(source, 'index.tsx') },
    outdir: folder,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    // Chrome 108 is in the Electron of the tests; what ships is far newer.
    target: 'chrome108',
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    loader: { '.woff2': 'file' },
    assetNames: '[name]',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  await mkdir(folder, { recursive: true });
  await copyFile(join(source, 'index.html'), join(folder, 'index.html'));
}
