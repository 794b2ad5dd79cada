// Draws the tray's icons and the program's from one vector each: light, dark and template panels, every size that a desktop asks for.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderAsync } from '@resvg/resvg-js';

const sources = join(import.meta.dirname, 'assets', 'icons');
/** Sides in pixels at 100 %; each is drawn once more at 200 %. */
export const TRAY_SIZES = [16, 22, 32];
export const APP_SIZES = [16, 32, 48, 64, 128, 256, 512, 1024];

const ink = { light: '#15191e', dark: '#e9ecf0' };
const quiet = { light: '#434c57', dark: '#b6bec9' };
const act = { light: '#1c5cc9', dark: '#82b1ff' };
/** Colour beside the shape: amber where something is slow, accent where the reader is asked to act. */
export const TRAY_COLOURS = {
  healthy: ink,
  slow: { light: '#b26a00', dark: '#f7bb38' },
  offline: quiet,
  paused: quiet,
  permission: act,
  update: act,
  declined: quiet,
  pending: quiet,
  gone: quiet,
};

async function draw(svg, width, path) {
  const image = await renderAsync(svg, { fitTo: { mode: 'width', value: width }, font: { loadSystemFonts: false } });
  await writeFile(path, image.asPng());
}

async function drawTray(state, folder) {
  const source = await readFile(join(sources, `tray-${state}.svg`), 'utf8');
  const colours = { ...TRAY_COLOURS[state], template: '#000' };
  for (const [panel, colour] of Object.entries(colours)) {
    const svg = source.replaceAll('currentColor', colour);
    for (const size of TRAY_SIZES) {
      const path = join(folder, `tray-${state}-${panel}-${size}`);
      await draw(svg, size, `${path}.png`);
      await draw(svg, size * 2, `${path}@2x.png`);
    }
  }
}

/**
 * Writes tray-<state>-<light|dark|template>-<16|22|32>[@2x].png and app-<side>.png into a folder.
 * @param {string} folder
 * @returns {Promise<void>}
 */
export async function buildIcons(folder) {
  await mkdir(folder, { recursive: true });
  for (const state of Object.keys(TRAY_COLOURS)) await drawTray(state, folder);
  const app = await readFile(join(sources, 'app.svg'), 'utf8');
  for (const size of APP_SIZES) await draw(app, size, join(folder, `app-${size}.png`));
}
