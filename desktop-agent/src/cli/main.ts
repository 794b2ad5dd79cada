import '../small-process.ts';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printable } from '@svc/contracts/words/printable';
import about from '../../package.json' with { type: 'json' };
import { AgentError, messageOf } from '../agent-error.ts';
import { createRunChore } from '../chores/run-chore.ts';
import type { Command, CommandIo } from './command.ts';
import { consentCommand } from './consent.ts';
import { diagnoseCommand } from './diagnose.ts';
import { enrollCommand } from './enroll.ts';
import { EXIT_USAGE, exitCodeOf } from './exit-code.ts';
import { onceCommand } from './once.ts';
import { pauseCommand, resumeCommand } from './pause.ts';
import { runCommand } from './run.ts';
import { statusCommand } from './status.ts';
import { testCommand } from './test.ts';
import { whatIsSentCommand } from './what-is-sent.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  run: runCommand,
  enroll: enrollCommand,
  status: statusCommand,
  once: onceCommand,
  'what-is-sent': whatIsSentCommand,
  pause: pauseCommand,
  resume: resumeCommand,
  consent: consentCommand,
  test: testCommand,
  diagnose: diagnoseCommand,
};

/** An agent that was told to stop and cannot is ended; what it appended to its spool is safe at any moment. */
const STOP_LIMIT_MS = 15_000;

const overview = (): string =>
  [
    'svc-agent COMMAND [OPTIONS]    the endpoint agent without a window',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`),
    '',
    '"svc-agent COMMAND --help" explains a command. Settings are SVC_ENDPOINT_* and SVC_AGENT_* in the environment.',
  ].join('\n');

async function dispatch(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === 'help') {
    io.out(overview());
    return name === undefined ? EXIT_USAGE : 0;
  }
  if (name === '--version') {
    io.out(io.version);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new AgentError('usage', `There is no command "${name}".\n\n${overview()}`);
  const spec = { ...command.options, help: { type: 'boolean' } } as const;
  let parsed: { values: Record<string, string | boolean | undefined>; positionals: string[] };
  try {
    parsed = parseArgs({ args: rest, options: spec, strict: true, allowPositionals: (command.words ?? 0) > 0 });
    if (parsed.positionals.length > (command.words ?? 0)) throw new Error(`"${parsed.positionals.at(-1)}" is one word too many.`);
  } catch (cause) {
    throw new AgentError('usage', `${messageOf(cause)}\n\n${command.help}`, { cause });
  }
  if (parsed.values.help === true) {
    io.out(command.help);
    return 0;
  }
  return await command.run(parsed.values, io, parsed.positionals);
}

/** Where the chores stand: beside the bundle, or in the sources when run from them. */
function chorePath(): string {
  const bundled = !import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(bundled ? './chore.mjs' : '../chores/chore.ts', import.meta.url));
}

async function main(): Promise<number> {
  const stop = new AbortController();
  // Told twice where a terminal tells the whole group and our own shim passes it on: the first one counts.
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stop.abort(new Error(name)));
  stop.signal.addEventListener('abort', () => void setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref());
  // Started by npm start: when that is gone, even by kill -9, the channel to it closes.
  if (process.connected) process.once('disconnect', () => stop.abort(new Error('disconnect')));
  // A terminal or pipe that is gone must not end an agent that measures.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Whatever a name holds that a network or a server gave: the terminal, maybe root's, only shows it.
  const io: CommandIo = {
    out: (text) => void process.stdout.write(`${printable(text)}\n`),
    tell: (text) => void process.stderr.write(`${printable(text)}\n`),
    stdin: process.stdin,
    runChore: createRunChore(chorePath()),
    version: about.version,
    signal: stop.signal,
    stop: (reason) => stop.abort(reason),
  };
  try {
    return await dispatch(process.argv.slice(2), io);
  } catch (error) {
    if (stop.signal.aborted) return 130;
    io.tell(messageOf(error));
    return exitCodeOf(error);
  }
}

process.exitCode = await main();
// What is still open, such as standard input, must not hold an agent that was told to stop.
process.exit();
