import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below what Linux (32768), macOS and Windows (49152) give to connections by themselves: a port of theirs may be somebody's connection by the
 * time that it is bound.
 */
const [FIRST, END] = [15_000, 32_000];
const TRIES = 100;

/** Of this process: whoever asked for it may not have bound it yet. */
const given = new Set<number>();

/** Somebody listens there; whatever else forbids it is told. */
const TAKEN = 'EADDRINUSE';

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (fault) {
    if (Reflect.get(Object(fault), 'code') === TAKEN) return false;
    throw fault;
  }
  await once(server.close(), 'close');
  return true;
}

/** A port of 127.0.0.1 that nobody listens on, another one each time. */
export async function freePort(): Promise<number> {
  for (let i = 0; i < TRIES; i++) {
    const port = randomInt(FIRST, END);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${TRIES} ports between ${FIRST} and ${END} is free.`);
}
