import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assignSlots, COLORS, colorOf, type Slots, tellApart } from './service-color.ts';

const SHOP = ['web', 'search', 'catalogue', 'cart', 'checkout', 'payment', 'inventory', 'shipping', 'email', 'postgres', 'redis'];
const NONE: Slots = new Map();
const distinct = (slots: Slots): number => new Set(slots.values()).size;

describe('the colour of a service', () => {
  test('differs for each of as many services as there are colours', () => {
    const names = [...SHOP, 'kafka'];
    expect(names).toHaveLength(COLORS);
    expect(distinct(assignSlots(NONE, names))).toBe(COLORS);
  });

  test('is the same whatever order the services came in', () => {
    expect(Object.fromEntries(assignSlots(NONE, SHOP.toReversed()))).toEqual(Object.fromEntries(assignSlots(NONE, SHOP)));
  });

  test('stays when others come', () => {
    const before = assignSlots(NONE, SHOP);
    const after = assignSlots(
      before,
      Array.from({ length: 30 }, (_, i) => `job-${i}`),
    );
    for (const [name, slot] of before) expect(after.get(name)).toBe(slot);
    // 41 services: no colour has more than its share.
    const uses = [...after.values()].reduce((sum, slot) => sum.set(slot, (sum.get(slot) ?? 0) + 1), new Map<number, number>());
    expect(Math.max(...uses.values())).toBe(Math.ceil(after.size / COLORS));
  });

  test('differs among twelve that are shown together out of many, and is kept by those seen first', () => {
    const slots = assignSlots(
      assignSlots(NONE, SHOP),
      Array.from({ length: 60 }, (_, i) => `job-${i}`),
    );
    const shown = [...SHOP.slice(0, 6), ...Array.from({ length: 6 }, (_, i) => `job-${i * 7}`)];
    const apart = tellApart(slots, shown);
    expect(apart.size).toBe(12);
    expect(distinct(apart)).toBe(12);
    for (const name of SHOP.slice(0, 6)) expect(apart.get(name)).toBe(slots.get(name));
  });

  test('is shared where more are shown than there are colours', () => {
    const names = Array.from({ length: 40 }, (_, i) => `job-${i}`);
    const apart = tellApart(assignSlots(NONE, names), names);
    expect(apart.size).toBe(40);
    expect(distinct(apart)).toBe(COLORS);
  });

  test('of ten thousand names the last two hundred are kept, those shown in any case', () => {
    const kept = assignSlots(
      assignSlots(NONE, SHOP),
      Array.from({ length: 10_000 }, (_, i) => `${i}`),
    );
    expect(kept.has('web')).toBe(false);
    expect(kept.size).toBe(10_000);
    expect(assignSlots(kept, ['web']).size).toBe(200);
    expect(assignSlots(kept, ['web']).has('web')).toBe(true);
  });

  test('of a name that was never shown is one of those there are', () => {
    for (const name of ['', 'web', '__proto__', '服務']) expect(colorOf(name)).toMatch(/^var\(--v-([1-9]|1[0-2])\)$/);
  });
});

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/** Machado 2009, severity 1. */
const SIGHT: Readonly<Record<string, Matrix>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const css = readFileSync(join(import.meta.dirname, '../../../../look/src/tokens.css'), 'utf8');
const colorsOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, name = '', color = '']) => [name, color]));
const [lightCss = '', darkCss = ''] = css.split(':root[data-theme="dark"]');
const THEMES = { light: colorsOf(lightCss), dark: colorsOf(darkCss) };

const linear = (color: string): Rgb => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
};
const dot = (a: Rgb, b: Rgb): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const luminance = (color: string): number => dot(linear(color), [0.2126, 0.7152, 0.0722]);

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** CIE L*a*b* (D65) as eyes of that kind see it. */
function labOf(color: string, sight: Matrix): Rgb {
  const seen = sight.map((row) => Math.min(1, Math.max(0, dot(row, linear(color))))) as unknown as Rgb;
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f(dot(seen, [0.4124, 0.3576, 0.1805]) / 0.95047);
  const y = f(dot(seen, [0.2126, 0.7152, 0.0722]));
  const z = f(dot(seen, [0.0193, 0.1192, 0.9505]) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000. */
function difference([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const rad = Math.PI / 180;
  const bend = (chroma: number): number => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));
  const g = 0.5 * (1 - bend((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const [c1, c2] = [Math.hypot(a1 * (1 + g), b1), Math.hypot(a2 * (1 + g), b2)];
  const hue = (a: number, b: number): number => (Math.atan2(b, a * (1 + g)) / rad + 360) % 360;
  const [h1, h2] = [hue(a1, b1), hue(a2, b2)];
  const turn = ((h2 - h1 + 540) % 360) - 180;
  const h = (h1 + turn / 2 + 360) % 360;
  const cos = (times: number, plus: number): number => Math.cos((times * h + plus) * rad);
  const t = 1 - 0.17 * cos(1, -30) + 0.24 * cos(2, 0) + 0.32 * cos(3, 6) - 0.2 * cos(4, -63);
  const [lm, cm] = [(l1 + l2) / 2 - 50, (c1 + c2) / 2];
  const x = (l2 - l1) / (1 + (0.015 * lm ** 2) / Math.sqrt(20 + lm ** 2));
  const y = (c2 - c1) / (1 + 0.045 * cm);
  const z = (2 * Math.sqrt(c1 * c2) * Math.sin((turn * rad) / 2)) / (1 + 0.015 * cm * t);
  const turned = -2 * bend(cm) * Math.sin(60 * rad * Math.exp(-(((h - 275) / 25) ** 2)));
  return Math.sqrt(x * x + y * y + z * z + turned * y * z);
}

describe.each(Object.entries(THEMES))('the colours, %s', (_, theme) => {
  const colors = Array.from({ length: COLORS }, (_, i) => theme.get(`v-${i + 1}`) ?? '');
  const pairs = colors.flatMap((a, i) => colors.slice(i + 1).map((b) => [a, b] as const));

  test('stand out from every ground by 3:1', () => {
    for (const ground of ['bg', 'surface', 'sunken', 'hover', 'accent-tint'])
      for (const color of colors) expect(contrast(color, theme.get(ground) ?? ''), `${color} on ${ground}`).toBeGreaterThan(3);
  });

  test.each(Object.entries(SIGHT))('differ from each other by 10 at least in %s sight', (kind, sight) => {
    for (const [a, b] of pairs)
      expect(difference(labOf(a, sight), labOf(b, sight)), `${a} and ${b}`).toBeGreaterThan(kind === 'normal' ? 14 : 10);
  });

  test('are not taken for an error or for what can be clicked', () => {
    for (const other of ['error', 'accent'])
      for (const color of colors)
        expect(
          difference(labOf(color, SIGHT.normal as Matrix), labOf(theme.get(other) ?? '', SIGHT.normal as Matrix)),
        ).toBeGreaterThan(10);
  });
});
