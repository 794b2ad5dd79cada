import { canonicalHost } from '@svc/contracts/tests/target';
import { APPLY_AT_ONCE, type AppliedTests, type WrittenTest } from '@svc/contracts/tests/written-test';
import { AppError } from '#kernel';
import { type Command, type CommandInput, type CommandOption, textOption } from './command.ts';
import { type RestClient, unreadable } from './rest-client.ts';
import { readTestFile, writeTestFile } from './tests-file.ts';
import { createProposeCommand } from './tests-propose.ts';

export interface TestCommandDeps {
  /** With SVC_TOKEN; AppError `bad_request` without one. */
  connect: (options: { server: string | undefined; caFile: string | undefined }) => RestClient;
  /** `-` is standard input. */
  readFile: (path: string) => Promise<string>;
  readStdin: () => Promise<string>;
}

const reaching: Readonly<Record<string, CommandOption>> = {
  server: { type: 'string', value: 'URL', help: 'the control plane; default SVC_PUBLIC_URL' },
  ca: { type: 'string', value: 'FILE', help: 'PEM authority of its certificate, where the system does not know it' },
};
const TOKEN = 'SVC_TOKEN holds an API token (svc_pat_...) of the tenant; it is never an argument.';

const clientOf = ({ connect }: TestCommandDeps, input: CommandInput): RestClient =>
  connect({ server: textOption(input, 'server'), caFile: textOption(input, 'ca') });

async function readAll(client: RestClient): Promise<WrittenTest[]> {
  const all: WrittenTest[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/test-specs?limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page: { items: WrittenTest[]; next_cursor: string | null } = await client({ method: 'GET', path });
    all.push(...page.items);
    cursor = page.next_cursor;
  }
  return all;
}

const exportCommand = (deps: TestCommandDeps): Command => ({
  name: 'tests export',
  summary: 'Prints all synthetic tests of a tenant as YAML.',
  details: `By name, without what is the default anyway: the same tests are the same text. Secrets stand in it by reference.\n${TOKEN}`,
  options: reaching,
  run: async (input) => input.print(writeTestFile(await readAll(clientOf(deps, input))).trimEnd()),
});

type Item = AppliedTests['items'][number];

function* parts<One>(list: readonly One[]): Generator<One[]> {
  for (let from = 0; from < list.length; from += APPLY_AT_ONCE) yield list.slice(from, from + APPLY_AT_ONCE);
}

async function send(
  client: RestClient,
  { tests, remove, dry_run }: { tests: readonly WrittenTest[]; remove: readonly string[]; dry_run: boolean },
): Promise<Item[]> {
  const items: Item[] = [];
  const call = async (body: object): Promise<void> => {
    const answer = await client<AppliedTests>({ method: 'POST', path: '/tests/apply', body: { ...body, dry_run } });
    items.push(...answer.items);
  };
  // What goes makes room for what comes.
  for (const names of parts(remove)) await call({ remove: names });
  for (const some of parts(tests)) await call({ tests: some });
  return items;
}

const SIGNS = { create: '+', update: '~', remove: '-', none: ' ' } as const;

/** Each secret that an applied test lacks, and what makes it. */
function* warnings({ name, missing_secrets: missing = [] }: Item, targetOf: ReadonlyMap<string, string>): Generator<string> {
  const target = targetOf.get(name.toLowerCase());
  for (const secret of missing) {
    yield `! ${name} refers to \${secret:${secret}}, which is not there: it does not run until it is. Make it by`;
    yield `    svc tests secret set ${secret} --hosts ${target ? canonicalHost(target) : 'HOST'} < FILE`;
  }
}

interface Applied {
  items: readonly Item[];
  tests: readonly WrittenTest[];
  isDry: boolean;
}

function printChanges({ print }: CommandInput, { items, tests, isDry }: Applied): void {
  const targetOf = new Map(tests.map(({ name, target }) => [name.trim().toLowerCase(), target]));
  for (const item of items) {
    const { name, change, fields } = item;
    if (change !== 'none') print(`${SIGNS[change]} ${name}`);
    for (const { path, before, after } of fields) print(`    ${path}: ${before ?? '(not set)'} -> ${after ?? '(not set)'}`);
    for (const line of warnings(item, targetOf)) print(line);
  }
  const count = (change: Item['change']): number => items.filter((item) => item.change === change).length;
  const verb = isDry ? 'would be ' : '';
  print(
    `${count('create')} ${verb}created, ${count('update')} ${verb}changed, ${count('remove')} ${verb}deleted, ${count('none')} as they are.`,
  );
}

const applyCommand = (deps: TestCommandDeps): Command => ({
  name: 'tests apply',
  summary: 'Makes the synthetic tests of a tenant what a file says.',
  details: `Tests are known by their names; what is the same stays untouched. Faults of the file are told by line and column, and nothing is changed then.\n${TOKEN}`,
  options: {
    file: { type: 'string', short: 'f', value: 'FILE', required: true, help: 'YAML with a list `tests`; - is standard input' },
    prune: { type: 'boolean', help: 'delete tests of the tenant that are not in the file' },
    'dry-run': { type: 'boolean', help: 'say what would change, and change nothing' },
    ...reaching,
  },
  async run(input) {
    const path = textOption(input, 'file') ?? '';
    const read = readTestFile(
      await deps.readFile(path).catch((cause: unknown) => {
        throw unreadable(path, cause);
      }),
    );
    if ('faults' in read) {
      const faults = read.faults.map(({ line, column, message }) => ({ path: `${path}:${line}:${column}`, message }));
      throw new AppError(
        'validation',
        `${path} has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}. Nothing was changed.`,
        { faults },
      );
    }
    const client = clientOf(deps, input);
    const names = new Set(read.tests.map(({ name }) => name.trim().toLowerCase()));
    const there = input.options.prune ? await readAll(client) : [];
    const remove = there.map(({ name }) => name).filter((name) => !names.has(name.toLowerCase()));
    const wanted = { tests: read.tests, remove };
    const isDry = input.options['dry-run'] === true;
    // What the server refuses of a later part is known before the first one is written.
    const planned = await send(client, { ...wanted, dry_run: true });
    const items = isDry ? planned : await send(client, { ...wanted, dry_run: false });
    printChanges(input, { items, tests: read.tests, isDry });
  },
});

const secretCommands = (deps: TestCommandDeps): Command[] => [
  {
    name: 'tests secret set',
    summary: 'Keeps a secret that synthetic tests may send to some hosts.',
    details: `Its value is read from standard input, one line end less, and is shown to nobody any more. Without input only its hosts become fewer.\n${TOKEN}`,
    positionals: [{ name: 'NAME', help: 'letters, digits, dot, dash and underscore' }],
    options: {
      hosts: { type: 'string', value: 'HOST,...', required: true, help: 'where it may be sent: hosts without a port' },
      ...reaching,
    },
    async run(input) {
      const [name = ''] = input.positionals;
      const hosts = (textOption(input, 'hosts') ?? '')
        .split(',')
        .map((host) => host.trim())
        .filter((host) => host !== '');
      const value = (await deps.readStdin()).replace(/\r?\n$/, '');
      const body = { hosts, ...(value === '' ? {} : { value }) };
      await clientOf(deps, input)({ method: 'PUT', path: `/test-secrets/${encodeURIComponent(name)}`, body });
      input.print(`${name} may be sent to ${hosts.join(', ')}.`);
    },
  },
  {
    name: 'tests secret list',
    summary: 'Lists the secrets of synthetic tests, without their values.',
    details: TOKEN,
    options: reaching,
    async run(input) {
      type List = { items: { name: string; hosts: string[]; updated_at: string; tests: { name: string }[] }[] };
      const { items } = await clientOf(deps, input)<List>({ method: 'GET', path: '/test-secrets' });
      for (const { name, hosts, updated_at, tests } of items)
        input.print(`${name}  ${hosts.join(',')}  ${updated_at}  ${tests.length} ${tests.length === 1 ? 'test' : 'tests'}`);
    },
  },
  {
    name: 'tests secret rm',
    summary: 'Deletes a secret of synthetic tests.',
    details: TOKEN,
    positionals: [{ name: 'NAME', help: 'the secret' }],
    options: reaching,
    async run(input) {
      const [name = ''] = input.positionals;
      await clientOf(deps, input)({ method: 'DELETE', path: `/test-secrets/${encodeURIComponent(name)}` });
      input.print(`${name} is deleted.`);
    },
  },
];

/** `svc tests export | apply | propose | secret set|list|rm`: over REST, from anywhere. */
export const createTestCommands = (deps: TestCommandDeps): Command[] => [
  exportCommand(deps),
  applyCommand(deps),
  createProposeCommand({ clientOf: (input) => clientOf(deps, input), reaching, token: TOKEN }),
  ...secretCommands(deps),
];
