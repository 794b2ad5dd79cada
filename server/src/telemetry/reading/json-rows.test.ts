import { expect, test } from 'vitest';
import { parseRows } from './json-rows.ts';

test('reads one row a line, whatever a row holds', async () => {
  const rows = [{ a: 1 }, { text: 'é\n"😀' }, { list: [1, null] }];
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  expect(await parseRows(Buffer.from(text))).toEqual(rows);
  expect(await parseRows(Buffer.from(text.trimEnd()))).toEqual(rows);
  expect(await parseRows(Buffer.alloc(0))).toEqual([]);
});

test('others have the event loop while a large answer is parsed', async () => {
  const bytes = Buffer.from('{"text":"some text that is not long"}\n'.repeat(100_000));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  expect(await parseRows(bytes)).toHaveLength(100_000);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});
