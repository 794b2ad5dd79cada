import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A sheet stays once its page was opened: from then on its rules hold on every page. */
const source = join(import.meta.dirname, '..');

interface Rule {
  folder: string;
  /** The class that its selector begins with. */
  first: string;
  /** True where it applies to whatever has that class: nothing else narrows it. */
  isBare: boolean;
}

function readRules(pattern: string): Rule[] {
  return globSync(pattern, { cwd: source }).flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    const folder = file.split('/').slice(0, 2).join('/');
    const selectors = [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(','));
    return selectors.flatMap((selector) => {
      const [, first, rest = ''] = /^\s*(?:\w+)?\.([\w-]+)(.*)$/s.exec(selector) ?? [];
      return first === undefined ? [] : [{ folder, first, isBare: rest.trim() === '' && selector.trim().startsWith('.') }];
    });
  });
}

it('lets no two features style a class of the same name', () => {
  const everyPage = readRules('{ui,app}/**/*.css').filter(({ isBare }) => isBare);
  const shared = new Set(everyPage.map(({ first }) => first));
  const own = readRules('features/**/*.css').filter(({ first }) => !shared.has(first));
  const contested = [...Map.groupBy(own, ({ first }) => first)].filter(([, rules]) =>
    rules.some(({ folder }) => folder !== rules[0]?.folder),
  );
  expect(contested.map(([name]) => name)).toEqual([]);
});

it('styles no class that the source never names', () => {
  const text = globSync('**/*.{ts,tsx}', { cwd: source, exclude: (name) => name.includes('.test.') })
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n');
  const named = new Set(text.match(/[\w-]+/g));
  // Such as `lv-${level}`.
  const composed = [...text.matchAll(/([\w-]+-)\$\{/g)].map(([, prefix = '']) => prefix);
  const isNamed = (name: string): boolean => named.has(name) || composed.some((prefix) => name.startsWith(prefix));
  const styled = globSync('**/*.css', { cwd: source }).flatMap((file) => {
    const rules = readFileSync(join(source, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    return [...rules.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => [...list.matchAll(/\.([a-zA-Z][\w-]*)/g)]);
  });
  expect(styled.length).toBeGreaterThan(500);
  // Classes of uPlot begin with u-.
  const unknown = styled.map(([, name = '']) => name).filter((name) => !isNamed(name) && !name.startsWith('u-'));
  expect(unknown).toEqual([]);
});
