import { AgentError, messageOf } from '../agent-error.ts';
import { CHORES, type Chores } from './chores.ts';

/** The child's side: one request as JSON on standard input, one answer as JSON on standard output, then the end. */
async function answer(): Promise<object> {
  let text = '';
  for await (const part of process.stdin) text += part;
  const request = JSON.parse(text) as { name: keyof Chores; input: never };
  try {
    return { ok: true, value: await CHORES[request.name](request.input) };
  } catch (error) {
    return { ok: false, code: error instanceof AgentError ? error.code : 'internal', message: messageOf(error) };
  }
}

// Who asked is gone: nobody is left to be told.
process.stdout.on('error', () => process.exit(1));
process.stdout.write(JSON.stringify(await answer()));
