import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const listFiles = () =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path && existsSync(join(root, path)));

const files = listFiles();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = files.filter((path) => path.endsWith('.md'));
const sources = files.filter(
  (path) => /\.(ts|tsx|js|css|sql|proto|prisma|sh|ya?ml|html)$/.test(path) && path !== 'scripts/references.test.ts',
);

const PAGE = /[\w./-]*[\w-]\.md\b/g;
const RECORD = /docs\/adr\/\d{4}(?![\w.-]*\.md)/g;
/** A document that has headings and is not a page of ours. */
const UNNAMED = /\b(?:the )?specification[,:] ["`]|\(issue #?\d+/g;
/** A path from the root, or the end of one: programs join the folders themselves. */
const isPage = (name: string): boolean => pages.some((page) => page === name || page.endsWith(`/${name}`));

/** Names of pages, records and headings in a source file that lead nowhere in this repository. */
function findDeadReferences(text: string): string[] {
  const dead = [...text.matchAll(PAGE)].map(([page]) => page).filter((page) => !isPage(page));
  const records = [...text.matchAll(RECORD)]
    .map(([record]) => record)
    .filter((record) => !pages.some((page) => page.startsWith(record)));
  return [...dead, ...records, ...[...text.matchAll(UNNAMED)].map(([words]) => words)];
}

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsOf = (page: string): string[] => {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)];
};

function findDeadLinks(page: string): string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
}

describe('a reference to a page', () => {
  it('is found where it leads nowhere', () => {
    expect(findDeadReferences('// as docs/api.md and docs/adr/0006 say')).toEqual([]);
    expect(findDeadReferences('// decisions.md; docs/adr/9999; (specification, "Errors")')).toEqual([
      'decisions.md',
      'docs/adr/9999',
      'specification, "',
    ]);
  });

  it.each(sources.filter((path) => /\.md\b|docs\/adr\/|specification|issue/.test(read(path))))(
    'in %s leads to one of the repository',
    (path) => {
      expect(findDeadReferences(read(path))).toEqual([]);
    },
  );

  it.each(pages)('in %s leads to a page and heading of the repository', (page) => {
    expect(findDeadLinks(page)).toEqual([]);
    expect([...read(page).matchAll(UNNAMED)].map(([words]) => words)).toEqual([]);
  });

  it.each(pages.filter((page) => page.startsWith('docs/')))('in the text of %s names a page of the repository', (page) => {
    const named = [...read(page).matchAll(PAGE)].map(([name]) => name);
    const near = (name: string) => existsSync(join(root, dirname(page), name));
    expect(named.filter((name) => !near(name) && !isPage(name))).toEqual([]);
  });
});
