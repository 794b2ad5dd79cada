import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, HTTP_STATUS } from '@svc/contracts/error-codes';
import { describe, expect, it } from 'vitest';
import { describeConfigPage } from './config-page.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Folders in which a short path on an architecture page may stand. */
const BASES = ['', 'server/src', 'server', 'desktop-agent/src'];

describe('ARCHITECTURE.md', () => {
  const page = read('ARCHITECTURE.md');

  it('has at most 120 lines', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(120);
  });

  const paths = [...page.matchAll(/`([\w.-]+\/[\w./-]*|[\w-]+\.(?:ts|json|md))`/g)].map((match) => match[1] ?? '');
  // Words of a slice: they stand for a file of the kind in some slice, not in each.
  const stages = new Set(['index.ts', 'ingress.ts', 'admit.ts', 'consume.ts', 'store.ts', 'api.ts', 'domain/']);

  it.each(paths.filter((path) => !stages.has(path)))('names %s, which exists', (path) => {
    expect(BASES.some((base) => existsSync(join(root, base, path)))).toBe(true);
  });
});

describe('docs/errors.md', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)` \| (\d+) \|/gm)];

  it('documents every error code with its status, and no other', () => {
    expect(Object.fromEntries(rows.map(([, , code, status]) => [code, Number(status)]))).toEqual(HTTP_STATUS);
    expect(rows.map(([, anchor]) => anchor)).toEqual([...ERROR_CODES]);
  });
});

describe('links of the documents', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];

  it.each(pages)('%s points at files that exist', (page) => {
    const folder = join(root, page, '..');
    const targets = [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '');
    expect(targets.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
  });
});

describe('commands of the documents', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));

  it('write into a file what a command prints, without the lines that npm itself puts before it', () => {
    const lines = pages.flatMap((page) => read(`docs/${page}`).match(/^npm run .* > \S+$/gm) ?? []);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !line.startsWith('npm run --silent '))).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  it('lists exactly the keys that the code reads, as "node scripts/write-config-page.ts" writes it', () => {
    expect(read('docs/configuration.md')).toBe(describeConfigPage());
  });
});

describe('docs/dependencies.md', () => {
  const folders = ['.', ...(JSON.parse(read('package.json')).workspaces as string[])];
  const named = folders.flatMap((folder) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(`${folder}/package.json`));
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  const used = [...new Set(named.filter((name) => !name.startsWith('@svc/')))].sort();
  const rows = read('docs/dependencies.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const documented = rows
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''))
    .sort();

  it('has a sentence for every dependency, and for nothing else', () => {
    expect(documented).toEqual(used);
  });
});
