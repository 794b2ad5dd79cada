import type { Proposal } from '@svc/contracts/proposals/proposal';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { AppError } from '#kernel';
import { runCommandLine } from './command.ts';
import type { RestCall } from './rest-client.ts';
import { createTestCommands } from './tests.ts';

const proposal = {
  test: { name: 'shop', type: 'https', target: 'https://shop.example/', interval_seconds: 30 },
  ...{ rationale: 'An HTTPS request.', author: 'heuristic', more: [], secrets: ['shop-token'] },
  fields: { type: 'inferred', target: 'asked', enabled: 'default' },
  reasons: { type: 'Web pages are asked by HTTPS.' },
} as unknown as Proposal;
let calls: RestCall[] = [];
let printed: string[] = [];
let answer: (call: RestCall) => unknown = () => proposal;
beforeEach(() => {
  calls = [];
  printed = [];
});

const commands = createTestCommands({
  connect:
    () =>
    async <Answer>(call: RestCall): Promise<Answer> => {
      calls.push(call);
      return answer(call) as Answer;
    },
  readFile: async () => '',
  readStdin: async () => '',
});
const propose = async (...argv: string[]) =>
  await runCommandLine(commands, ['tests', 'propose', ...argv], (line) => printed.push(line));

test('prints what `tests apply` reads, and what was concluded as comments', async () => {
  answer = () => proposal;
  await propose('check shop.example');
  expect(calls[0]).toMatchObject({ method: 'POST', path: '/ai/author', body: { prompt: 'check shop.example' } });
  expect(parse(printed.join('\n'))).toEqual({
    tests: [{ name: 'shop', type: 'https', target: 'https://shop.example/', interval_seconds: 30 }],
  });
  expect(printed.join('\n')).toMatch(
    /# inferred: type: Web pages are asked by HTTPS\.\n# to be made before it runs: .*shop-token/,
  );
});

test('asks by rules where the model is away or may not be asked, and says so', async () => {
  answer = ({ body }) => {
    if ((body as { author?: string }).author === 'heuristic') return proposal;
    throw new AppError('egress_denied', 'No consent.');
  };
  await propose('check shop.example');
  expect(printed[0]).toMatch(/^# The model did not answer \(No consent\.\) This is by rules\./);
  await expect(propose('check shop.example', '--author', 'model')).rejects.toMatchObject({ code: 'egress_denied' });
});

test('says what could be meant and what would do', async () => {
  answer = () => {
    throw new AppError('cannot_author', 'Ping or TCP 443?', { more: { choices: [proposal], examples: ['ping 10.0.0.1'] } });
  };
  await expect(propose('watch it')).rejects.toThrow(
    /Ping or TCP 443\?\ncould be meant: https https:\/\/shop\.example\/\nfor example: ping 10\.0\.0\.1/,
  );
});
