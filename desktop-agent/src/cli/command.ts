import type { RunChore } from '../chores/run-chore.ts';

/** What a command gets from its process; injected, so that commands are tested without one. */
export interface CommandIo {
  out(text: string): void;
  /** Progress and faults: standard error. */
  tell(text: string): void;
  stdin: NodeJS.ReadableStream;
  runChore: RunChore;
  version: string;
  /** Aborted by SIGTERM, SIGINT or `stop`. */
  signal: AbortSignal;
  /** Ends this program as SIGTERM does. */
  stop(reason: Error): void;
}

export interface Command {
  /** One line in the list of commands. */
  summary: string;
  help: string;
  /** Options in the shape of node:util parseArgs. */
  options: Readonly<Record<string, { type: 'string' | 'boolean' }>>;
  /** How many words may follow the name, beside the options; default none. */
  words?: number;
  /** Resolves with the exit code. Throws AgentError and ConfigError for what the person should read. */
  run(options: Readonly<Record<string, string | boolean | undefined>>, io: CommandIo, words: readonly string[]): Promise<number>;
}
