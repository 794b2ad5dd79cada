import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RUNNER_ENVIRONMENT, RUNNER_FLAGS } from './flags.ts';

const bin = join(import.meta.dirname, '../../../server/bin');

it('are what svc canary run is started with', async () => {
  const { canaryFlags } = (await import(join(bin, 'node-flags.js'))) as { canaryFlags: string[] };
  expect(canaryFlags).toEqual(expect.arrayContaining([...RUNNER_FLAGS]));
  expect(readFileSync(join(bin, 'svc.js'), 'utf8')).toContain(`MALLOC_ARENA_MAX=${RUNNER_ENVIRONMENT.MALLOC_ARENA_MAX}`);
});
