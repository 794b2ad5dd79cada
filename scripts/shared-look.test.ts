import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The agent's window cannot import the console's styles (a wall), so it has the part it needs: it must not drift. */
const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const tokens = { window: read('desktop-agent/src/renderer/styles/tokens.css'), console: read('web-console/src/ui/tokens.css') };
const icons = { window: read('desktop-agent/src/renderer/ui/icon.tsx'), console: read('web-console/src/ui/icons.tsx') };

/** Values by selector and name, spelled alike: `rgb(0 0 0 / 6%)` and `rgb(0 0 0 / 0.06)` are one. */
function valuesOf(css: string): Map<string, string> {
  const values = new Map<string, string>();
  const plain = css.replace(/\/\*.*?\*\//gs, '');
  for (const [, selector = '', body = ''] of plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    for (const [, name = '', value = ''] of body.matchAll(/(--[\w-]+):\s*([^;]+);/g)) {
      const alike = value.replace(/0\.(\d\d)\b/g, (_, digits: string) => `${Number(digits)}%`).replace(/\s+/g, ' ');
      const place = `${selector.replace(/\s+/g, ' ').trim()} ${name}`;
      // The plain one stands first; those of media queries follow.
      if (!values.has(place)) values.set(place, alike);
    }
  }
  return values;
}

test('a colour or size of the window is the console’s, light and dark', () => {
  const ours = valuesOf(tokens.window);
  const theirs = valuesOf(tokens.console);
  const shared = [...ours].filter(([name]) => theirs.has(name));
  expect(shared.length).toBeGreaterThan(60);
  expect(Object.fromEntries(shared)).toEqual(Object.fromEntries(shared.map(([name]) => [name, theirs.get(name)])));
});

/** What each icon draws, without the words around it. */
function drawingsOf(source: string): Map<string, string> {
  const drawings = new Map<string, string>();
  for (const [, name = '', body = ''] of source.matchAll(/^ {2}(\w+): (\[[\s\S]*?\]),$/gm))
    drawings.set(name, body.replace(/\s+/g, ''));
  return drawings;
}

test('an icon of the window that the console has as well looks the same', () => {
  const theirs = drawingsOf(icons.console);
  const shared = [...drawingsOf(icons.window)].filter(([name]) => theirs.has(name));
  expect(shared.length).toBeGreaterThan(12);
  for (const [name, drawing] of shared) expect(drawing, name).toBe(theirs.get(name));
});
