import type { FastifyBaseLogger } from 'fastify';

const SECOND_MS = 1000;
/** Errors told apart at once. */
const MOST_KINDS = 200;

interface Kind {
  held: number;
  timer: NodeJS.Timeout;
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? `${error.name} ${error.code}` : `${error.name} ${error.message.slice(0, 100)}`;
}

/** Writes the first of a kind of error at once, and further ones of the same second as one line with their count: `repeated`. */
export function createStormLog() {
  const kinds = new Map<string, Kind>();
  return (log: FastifyBaseLogger, level: 'error' | 'warn', { err, text }: { err: unknown; text: string }): void => {
    const name = `${text} ${kindOf(err)}`;
    const key = kinds.has(name) || kinds.size < MOST_KINDS ? name : text;
    const known = kinds.get(key);
    if (known) {
      known.held += 1;
      return;
    }
    log[level]({ err }, text);
    const settle = (): void => {
      const kind = kinds.get(key);
      kinds.delete(key);
      if (!kind || kind.held === 0) return;
      log[level]({ err, repeated: kind.held }, text);
      kinds.set(key, { held: 0, timer: setTimeout(settle, SECOND_MS).unref() });
    };
    kinds.set(key, { held: 0, timer: setTimeout(settle, SECOND_MS).unref() });
  };
}
