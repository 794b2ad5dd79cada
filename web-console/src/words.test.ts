import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What no native-speaking engineer would write on a page; the word to use instead. */
const NOT: readonly (readonly [RegExp, string])[] = [
  [/at the least/i, 'at least'],
  [/\bdares? to\b/i, 'can be'],
  [/\b(mint|make) (a|an|the|one)\b.{0,20}token|\bmint(ed)? (a|it|one)\b/i, 'create'],
  [/hover one for/i, 'hover over'],
  [/'own'\}/, 'custom'],
  [/for good\b/i, 'permanently'],
  [/\bone a (line|device|page)\b/i, 'one per'],
  [/\b(items|points|requests|lines) a second\b/i, 'per second'],
  [/too many questions|last question/i, 'too many concurrent queries, the last query'],
  [/\bby itself\b/i, 'automatically'],
  [/\b(made|make) (from|one|the link)\b/i, 'based on, create'],
  [/\bnot told\b|does not tell|tells more/i, 'not reported, shows'],
  [/\ba (second|minute|hour|day)[`'"<]/, 'per second'],
];

const ROOT = import.meta.dirname;
const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
);

/** What a page may show: not comments; in one line, since a sentence may go over several of the source. */
const shownText = (file: string): string =>
  readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .join(' ')
    .replace(/\s+/g, ' ');

it('the console says each thing as the field does, and one act in one word', () => {
  const found = sources.flatMap((file) => {
    const text = shownText(file);
    return NOT.flatMap(([words, use]) => {
      const at = text.search(words);
      return at < 0 ? [] : [`${file}: ${text.slice(Math.max(0, at - 20), at + 40)} (${use})`];
    });
  });
  expect(found).toEqual([]);
});
