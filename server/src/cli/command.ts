import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { AppError } from '#kernel';

export interface CommandOption {
  type: 'string' | 'boolean';
  short?: string;
  /** What stands for the value in the help, for example "SLUG"; for strings. */
  value?: string;
  help: string;
  required?: boolean;
}

export interface CommandInput {
  /** Options that were given; required ones are there. */
  options: Readonly<Record<string, string | boolean | undefined>>;
  /** As many as the command names. */
  positionals: readonly string[];
  /** One line on standard output. */
  print: (line: string) => void;
}

/** One verb of `svc`. It throws AppError: bad_request and validation end with 2, anything else with 1. */
export interface Command {
  /** Words behind `svc`, for example "tenant create". */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** Further sentences for its own help. */
  details?: string;
  positionals?: readonly { name: string; help: string }[];
  options?: Readonly<Record<string, CommandOption>>;
  run(input: CommandInput): Promise<void>;
}

/** A given text option, or undefined. */
export const textOption = (input: CommandInput, name: string): string | undefined => {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
};

const table = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

const flagOf = (name: string, { type, short, value }: CommandOption): string =>
  `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` ${value ?? 'VALUE'}` : ''}`;

/** What `svc <command> --help` prints. */
export function describeCommand(command: Command): string {
  const options = Object.entries(command.options ?? {});
  const needed = options
    .filter(([, option]) => option.required)
    .map(([name, option]) => ` ${flagOf(name, { ...option, short: '' })}`);
  const words = [...(command.positionals ?? []).map(({ name }) => ` ${name}`), ...needed].join('');
  const lines = [`Usage: svc ${command.name}${words}${options.length > needed.length ? ' [options]' : ''}`, '', command.summary];
  if (command.details) lines.push('', command.details);
  if (command.positionals?.length)
    lines.push('', 'Arguments:', ...table(command.positionals.map(({ name, help }) => [name, help])));
  const rows = options.map(([name, option]) => [flagOf(name, option), option.help] as const);
  lines.push('', 'Options:', ...table([...rows, ['-h, --help', 'this text']]));
  return lines.join('\n');
}

/** What `svc --help` prints. */
export function describeCommands(commands: readonly Command[]): string {
  return [
    'Usage: svc COMMAND [options]',
    '',
    'The control plane of the Network Observability Service. Settings are environment variables (docs/configuration.md).',
    '',
    'Commands:',
    ...table(commands.map(({ name, summary }) => [name, summary])),
    '',
    'svc COMMAND --help explains one of them. Exit code 2: bad usage or configuration; 1: something outside fails.',
  ].join('\n');
}

const refuse = (message: string, command?: Command): AppError =>
  new AppError('bad_request', `${message} See: svc ${command ? `${command.name} ` : ''}--help`);

/** What `svc bus quarantine` prints: the commands that begin with these words; undefined where none do. */
function describeGroup(commands: readonly Command[], argv: readonly string[]): string | undefined {
  const words = argv.filter((word) => word !== '--help' && word !== '-h');
  const group = commands.filter(({ name }) => words.length > 0 && name.startsWith(`${words.join(' ')} `));
  if (group.length === 0) return undefined;
  return [
    `Usage: svc ${words.join(' ')} COMMAND [options]`,
    '',
    'Commands:',
    ...table(group.map(({ name, summary }) => [name, summary])),
    '',
    `svc ${group[0]?.name} --help explains one of them.`,
  ].join('\n');
}

function findCommand(commands: readonly Command[], argv: readonly string[]): { command: Command; rest: string[] } {
  const byLength = [...commands].sort((a, b) => b.name.length - a.name.length);
  for (const command of byLength) {
    const words = command.name.split(' ');
    if (words.every((word, index) => argv[index] === word)) return { command, rest: argv.slice(words.length) };
  }
  throw refuse(
    argv[0] ? `There is no command "${argv.filter((word) => !word.startsWith('-')).join(' ')}".` : 'A command is missing.',
  );
}

function parseInput(command: Command, argv: readonly string[]): { values: CommandInput['options']; positionals: string[] } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { type, short }] of Object.entries(command.options ?? {})) options[name] = short ? { type, short } : { type };
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { values: parsed.values as CommandInput['options'], positionals: parsed.positionals };
  } catch (error) {
    throw refuse(`${error instanceof Error ? error.message.split('. ')[0] : 'Bad options'}.`, command);
  }
}

/**
 * Runs one command line: help for everything, options checked before anything is opened. Throws what the command throws, and
 * AppError `bad_request` for bad usage.
 */
export async function runCommandLine(
  commands: readonly Command[],
  argv: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const [first] = argv;
  if (first === '--help' || first === '-h' || (first === 'help' && argv.length === 1)) return print(describeCommands(commands));
  const line = first === 'help' ? [...argv.slice(1), '--help'] : argv;
  const group = describeGroup(commands, line);
  if (group !== undefined) return print(group);
  const { command, rest } = findCommand(commands, line);
  const { values, positionals } = parseInput(command, rest);
  if (values.help) return print(describeCommand(command));
  const wanted = command.positionals ?? [];
  const missing = wanted[positionals.length];
  if (missing) throw refuse(`${missing.name} is missing.`, command);
  if (positionals.length > wanted.length) throw refuse(`Unexpected argument "${positionals[wanted.length]}".`, command);
  for (const [name, { required }] of Object.entries(command.options ?? {})) {
    if (required && values[name] === undefined) throw refuse(`--${name} is missing.`, command);
  }
  await command.run({ options: values, positionals, print });
}
