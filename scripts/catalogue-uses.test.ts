import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Files of one language each: what they hold is no use of it. The English one has the keys; a type makes the others have the same. */
const CATALOGUE = /(?:\/i18n\/|\/words\/\w+\/)(en|de|fr|es)(?:\/[\w-]+)?\.ts$/;
const TEST = /\.(test|spec)\.tsx?$/;
/** A message's row: its key behind two spaces, quoted where it has a point in it. */
const KEY = /^ {2}(?:'([^']+)'|(\w+)):/gm;

/** Keys that the sources name, as a text of their own or as a template whose values are any. */
function findUses(sources: readonly string[]): (key: string) => boolean {
  const text = sources.join('\n');
  const named = new Set([...text.matchAll(/'([\w.-]+)'/g)].map(([, name]) => name));
  const templates = [...text.matchAll(/`([a-z][A-Za-z]*\.(?:[^`$]|\$\{[^}]*\})*)`/g)].map(([, template = '']) => template);
  const shapes = templates.filter((template) => template.includes('${') && !template.replace(/\$\{[^}]*\}/g, '').includes(' '));
  const patterns = [...new Set(shapes)].map((shape) => {
    const parts = shape.split(/\$\{[^}]*\}/).map((part) => part.replaceAll('.', '\\.'));
    return new RegExp(`^${parts.join('[\\w-]+')}$`);
  });
  return (key) => named.has(key) || patterns.some((pattern) => pattern.test(key));
}

const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listed.stdout.split('\n').filter((file) => file !== '' && existsSync(join(root, file)) && !TEST.test(file));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('each message of the catalogues', () => {
  const catalogues = files.filter((file) => CATALOGUE.exec(file)?.[1] === 'en');
  const keys = catalogues.flatMap((file) => [...read(file).matchAll(KEY)].map(([, quoted, plain]) => quoted ?? plain ?? ''));
  const isUsed = findUses(files.filter((file) => !CATALOGUE.test(file)).map(read));

  it('is said somewhere', () => {
    expect(keys.length).toBeGreaterThan(300);
    expect(keys.filter((key) => !isUsed(key)).sort()).toEqual([]);
  });

  it('is found where nobody says it', () => {
    const source = "t('a.b'); t(`c.@{one ? 'x' : 'y'}.why`); `d.e @{f}`".replaceAll('@', '$');
    const says = findUses([source]);
    expect(['a.b', 'c.x.why', 'c.x', 'a.c', 'd.e'].map(says)).toEqual([true, true, false, false, false]);
  });
});
