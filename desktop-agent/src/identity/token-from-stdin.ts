import { createInterface } from 'node:readline';

/** How long a start waits for the token that it was promised on standard input. */
const WAIT_MS = 10 * 60_000;

/**
 * The first line of standard input, read once and forgotten once taken: a token never stands in arguments, environment or log.
 * Resolves with undefined at the end of the input, after ten minutes, and for every later question.
 */
export function createTokenFromStdin(input: NodeJS.ReadableStream): () => Promise<string | undefined> {
  let line: Promise<string | undefined> | undefined = new Promise((resolve) => {
    const lines = createInterface({ input });
    const timer = setTimeout(() => lines.close(), WAIT_MS);
    timer.unref();
    lines.once('line', (text) => {
      resolve(text.trim() || undefined);
      lines.close();
    });
    lines.once('close', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  return () => {
    const taken = line ?? Promise.resolve(undefined);
    line = undefined;
    return taken;
  };
}
