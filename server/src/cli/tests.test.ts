import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApplyTests, WrittenTest } from '@svc/contracts/tests/written-test';
import { beforeEach, expect, test } from 'vitest';
import { runCommandLine } from './command.ts';
import type { RestCall } from './rest-client.ts';
import { createRestClient } from './rest-client.ts';
import { createTestCommands } from './tests.ts';

const kept = [
  { name: 'Old', type: 'dns', target: 'old.example' },
  { name: 'Shop', type: 'https', target: 'https://shop.example/' },
] as WrittenTest[];
let calls: RestCall[] = [];
let printed: string[] = [];
let file = '';
beforeEach(() => {
  calls = [];
  printed = [];
});

/** Answers as the API does: what is there stays, what is not is made. */
const missing = (test: Partial<WrittenTest>): string[] => [
  ...new Set([...JSON.stringify(test).matchAll(/\$\{secret:(\w+)\}/g)].map(([, name = '']) => name)),
];
const client = async <Answer>(call: RestCall): Promise<Answer> => {
  calls.push(call);
  if (call.path.startsWith('/test-specs')) return { items: kept, next_cursor: null } as Answer;
  const { tests = [], remove = [] } = (call.body ?? {}) as Partial<ApplyTests>;
  const items = [
    ...remove.map((name) => ({ name, id: null, change: 'remove', fields: [] })),
    ...tests.map((one) => {
      const change = one.name === 'Shop' ? 'none' : 'create';
      return { name: one.name, id: null, change, fields: [], missing_secrets: missing(one) };
    }),
  ];
  return { items } as Answer;
};
const commands = createTestCommands({ connect: () => client, readFile: async () => file, readStdin: async () => 'hidden\n' });
const run = async (...argv: string[]) => await runCommandLine(commands, argv, (line) => printed.push(line));

const NEW =
  'tests:\n  - { name: Shop, type: https, target: https://shop.example/ }\n  - { name: New, type: dns, target: new.example }\n';

test('a dry run says what would change and writes nothing', async () => {
  file = NEW;
  await run('tests', 'apply', '-f', 'x.yaml', '--prune', '--dry-run');
  expect(printed).toEqual(['- Old', '+ New', '1 would be created, 0 would be changed, 1 would be deleted, 1 as they are.']);
  expect(calls.filter(({ path }) => path === '/tests/apply').every(({ body }) => (body as ApplyTests).dry_run)).toBe(true);
});

test('a secret that is not there is told in the diff, with the command that makes it, of what stays as it is too', async () => {
  const header = (name: string) => `params: { headers: [{ name: authorization, value: "\${secret:${name}}" }] }`;
  file = [
    'tests:',
    `  - { name: Shop, type: https, target: "https://shop.example/a", ${header('cart')} }`,
    `  - { name: New, type: https, target: "https://NEW.example:8443/", ${header('token')} }`,
  ].join('\n');
  const told = [
    `! Shop refers to \${secret:cart}, which is not there: it does not run until it is. Make it by`,
    '    svc tests secret set cart --hosts shop.example < FILE',
    '+ New',
    `! New refers to \${secret:token}, which is not there: it does not run until it is. Make it by`,
    '    svc tests secret set token --hosts new.example < FILE',
  ];
  await run('tests', 'apply', '-f', 'x.yaml', '--dry-run');
  expect(printed.slice(0, -1)).toEqual(told);
  printed = [];
  await run('tests', 'apply', '-f', 'x.yaml');
  expect(printed.slice(0, -1)).toEqual(told);
});

test('without --prune nothing is deleted', async () => {
  file = NEW;
  await run('tests', 'apply', '-f', 'x.yaml');
  expect(printed.at(-1)).toBe('1 created, 0 changed, 0 deleted, 1 as they are.');
  expect(calls.some(({ path }) => path.startsWith('/test-specs'))).toBe(false);
});

test('a fault of the file is told by line and column, and nothing is asked', async () => {
  file = 'tests:\n  - name: a\n    type: smtp\n    target: x\n';
  await expect(run('tests', 'apply', '-f', 'x.yaml')).rejects.toMatchObject({
    code: 'validation',
    faults: [{ path: 'x.yaml:3:11' }],
  });
  expect(calls).toEqual([]);
});

test('a file that is not there is named, and no failure of the command', async () => {
  const real = createTestCommands({
    connect: () => client,
    readFile: async (path) => await readFile(path, 'utf8'),
    readStdin: async () => '',
  });
  const missing = join(import.meta.dirname, 'no-such-file.yaml');
  const fault = { code: 'bad_request', message: `${missing} could not be read: there is no such file.` };
  await expect(runCommandLine(real, ['tests', 'apply', '-f', missing], () => {})).rejects.toMatchObject(fault);
  expect(() => createRestClient({ server: 'https://svc.example', token: 't', caFile: missing })).toThrow(fault.message);
});

test('the value of a secret comes from standard input, one line end less', async () => {
  await run('tests', 'secret', 'set', 'shop', '--hosts', 'shop.example, api.example:8443');
  expect(calls).toEqual([
    { method: 'PUT', path: '/test-secrets/shop', body: { hosts: ['shop.example', 'api.example:8443'], value: 'hidden' } },
  ]);
  expect(printed.join()).not.toContain('hidden');
});

test('a token never goes in clear text, and a server that is away is named', async () => {
  expect(() => createRestClient({ server: 'http://svc.example', token: 't' })).toThrow(/https/);
  const away = createRestClient({ server: 'https://127.0.0.1:1', token: 'svc_pat_x' });
  const error = await away({ method: 'GET', path: '/tests' }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('https://127.0.0.1:1 was not reached') });
});
