import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APP_SIZES, buildIcons, TRAY_COLOURS, TRAY_SIZES } from './build-icons.js';
import { ICON_STATES } from './src/i18n/state-words.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-icons-'));
beforeAll(() => buildIcons(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const png = (name: string): Buffer => readFileSync(join(folder, `${name}.png`));
const sideOf = (bytes: Buffer): number[] => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];

describe('the icons', () => {
  it('are there for every state, panel and size, drawn once more for sharper screens', () => {
    expect(Object.keys(TRAY_COLOURS).sort()).toEqual([...ICON_STATES].sort());
    for (const state of ICON_STATES)
      for (const panel of ['light', 'dark', 'template'])
        for (const size of TRAY_SIZES) {
          expect(sideOf(png(`tray-${state}-${panel}-${size}`))).toEqual([size, size]);
          expect(sideOf(png(`tray-${state}-${panel}-${size}@2x`))).toEqual([size * 2, size * 2]);
        }
    for (const size of APP_SIZES) expect(sideOf(png(`app-${size}`))).toEqual([size, size]);
  });

  it('differ by shape alone: as templates, all black, no two are alike', () => {
    const shapes = new Set(ICON_STATES.map((state) => png(`tray-${state}-template-16`).toString('base64')));
    expect(shapes.size).toBe(ICON_STATES.length);
  });

  it('differ by panel', () => {
    for (const state of ICON_STATES) expect(png(`tray-${state}-light-22`)).not.toEqual(png(`tray-${state}-dark-22`));
  });
});
