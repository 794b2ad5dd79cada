import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { runsLongAttacks } from '../env.ts';
import { listAttacks } from './harness/attack.ts';
import { endFleet } from './harness/fleet.ts';
import { type Ground, startGround } from './harness/ground.ts';
import { expectWhole, type Planted, plant } from './harness/victim.ts';
import { compareWithAttacks, readSurfaces } from './registry.ts';

const folder = new URL('./cases/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
for (const file of files) if (file.endsWith('.ts')) await import(new URL(file, folder).href);

const LIMIT_MS = 60_000;
/** Within which the victim's data must be whole after an attack. */
const AFTER_MS = 40_000;

let ground: Ground;
let planted: Planted;
/** An attack that succeeded may have left the server unfit for the next one. */
let isSpoilt = false;

async function settle(): Promise<void> {
  ground = await startGround();
  planted = await plant(ground);
}

beforeAll(settle, 180_000);
afterAll(async () => {
  await endFleet();
  await ground?.close();
}, 60_000);
beforeEach(async () => {
  if (!isSpoilt) return;
  isSpoilt = false;
  ground.server.child.kill('SIGKILL');
  await ground.close();
  await settle();
}, 240_000);

test.skipIf(runsLongAttacks)(
  'every procedure, route, listener, method and topic of the product is named by an attack',
  async () => {
    const attacked = new Set(listAttacks().flatMap(({ surfaces }) => surfaces));
    expect(compareWithAttacks(await readSurfaces(), [...attacked])).toEqual({ unattacked: [], unknown: [] });
  },
  120_000,
);

describe('a hostile tenant', () => {
  for (const { name, cost, limitMs = LIMIT_MS, whyNot, run } of listAttacks()) {
    if ((cost === 'long') !== runsLongAttacks) continue;
    const missing = whyNot?.();
    if (missing) process.stderr.write(`SKIPPED: ${name}: ${missing}\n`);
    test.skipIf(missing !== undefined)(
      name,
      async () => {
        onTestFailed(() => {
          isSpoilt = true;
        });
        await run(ground);
        await expectWhole(ground, planted);
      },
      limitMs + AFTER_MS,
    );
  }
});
