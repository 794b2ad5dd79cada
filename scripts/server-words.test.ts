import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { showInWords, toWords } from './server-words.js';

it('says a line of the log in words, with its reason', () => {
  expect(toWords('{"level":40,"msg":"the disk is nearly full","reason":"1 MB is left"}')).toBe(
    'Warning: the disk is nearly full (1 MB is left)',
  );
  expect(toWords('{"level":50,"msg":"a batch failed","err":{"message":"no store"}}')).toBe('Error: a batch failed (no store)');
  expect(toWords('{"level":30,"msg":"listening"}')).toBe('Note: listening');
});

it('leaves alone what is no line of the log', () => {
  for (const line of ['not JSON {', 'null', '[1]', '{"level":40}', '']) expect(toWords(line)).toBe(line);
});

it('keeps lines whole that come in pieces', async () => {
  const [log, terminal] = [new PassThrough(), new PassThrough()];
  showInWords(log, terminal);
  log.write('{"level":40,"ms');
  log.end('g":"in two"}\nplain\n');
  await new Promise((resolve) => log.once('close', resolve));
  expect(terminal.read()?.toString()).toBe('Warning: in two\nplain\n');
});
