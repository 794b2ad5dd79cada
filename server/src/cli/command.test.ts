import { beforeEach, expect, test } from 'vitest';
import { type Command, type CommandInput, runCommandLine, textOption } from './command.ts';

let printed: string[] = [];
let ran: CommandInput | undefined;
beforeEach(() => {
  printed = [];
  ran = undefined;
});

const commands: Command[] = [
  {
    name: 'tenant create',
    summary: 'Creates a tenant.',
    positionals: [{ name: 'ID', help: 'slug' }],
    options: {
      name: { type: 'string', short: 'n', value: 'NAME', help: 'name for people' },
      role: { type: 'string', value: 'ROLE', help: 'role', required: true },
      json: { type: 'boolean', help: 'JSON' },
    },
    run: async (input) => {
      ran = input;
    },
  },
  { name: 'tenant list', summary: 'Lists the tenants.', run: async ({ print }) => print('listed') },
];
const run = async (...argv: string[]) => await runCommandLine(commands, argv, (line) => printed.push(line));

test('a command gets its options and arguments', async () => {
  await run('tenant', 'create', 'acme', '--role', 'admin', '-n', 'Acme Inc');
  expect(ran?.positionals).toEqual(['acme']);
  expect(ran && [textOption(ran, 'name'), textOption(ran, 'role'), textOption(ran, 'json')]).toEqual([
    'Acme Inc',
    'admin',
    undefined,
  ]);
  await run('tenant', 'list');
  expect(printed).toEqual(['listed']);
});

test('everything explains itself and runs nothing then', async () => {
  await run('--help');
  expect(printed.join()).toMatch(/tenant create\s+Creates a tenant\.[\s\S]*tenant list/);
  for (const argv of [
    ['tenant', 'create', '--help'],
    ['tenant', 'create', 'x', '-h'],
    ['help', 'tenant', 'create'],
  ]) {
    printed = [];
    await run(...argv);
    expect(printed.join()).toMatch(/Usage: svc tenant create ID --role ROLE \[options\][\s\S]*-n, --name NAME\s+name for people/);
  }
  expect(ran).toBeUndefined();
});

test('words that begin commands list them', async () => {
  for (const argv of [['tenant'], ['tenant', '--help'], ['help', 'tenant']]) {
    printed = [];
    await run(...argv);
    expect(printed.join()).toMatch(/^Usage: svc tenant COMMAND[\s\S]*tenant create\s+Creates a tenant\.[\s\S]*tenant list/);
  }
});

test.each([
  [[], /A command is missing\. See: svc --help/],
  [['nonsense'], /no command "nonsense"/],
  [['tenant', 'nonsense'], /no command "tenant nonsense"/],
  [['tenant', '--json'], /no command "tenant"/],
  [['tenant', 'create', '--role', 'x'], /ID is missing\. See: svc tenant create --help/],
  [['tenant', 'create', 'a', 'b', '--role', 'x'], /Unexpected argument "b"/],
  [['tenant', 'create', 'a'], /--role is missing/],
  [['tenant', 'create', 'a', '--role'], /argument missing/],
  [['tenant', 'create', 'a', '--rolle', 'x'], /Unknown option '--rolle'/],
  [['tenant', 'list', '--json=1'], /Unknown option '--json'/],
])('bad usage %j is refused with where to look', async (argv, message) => {
  await expect(run(...argv)).rejects.toThrow(message);
  await expect(run(...argv)).rejects.toMatchObject({ code: 'bad_request' });
  expect(ran).toBeUndefined();
});
