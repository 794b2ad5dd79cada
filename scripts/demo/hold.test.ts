import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { holdDemo } from './hold.js';

const module = JSON.stringify(join(import.meta.dirname, 'hold.js'));
/** Holds the demo of a folder until it is ended. */
const HOLDER = `const { holdDemo } = await import(${module}); await holdDemo(process.argv[1]); console.log('held'); setInterval(() => {}, 1000);`;

async function startHolder(dataDir: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

it('lets one demo have a data directory, and says what to do to the next', async () => {
  const dataDir = `/nowhere/${process.pid}/one`;
  const release = await holdDemo(dataDir);
  await expect(holdDemo(dataDir)).rejects.toThrow(`A demo of ${dataDir} runs already. Stop it with Ctrl-C first`);
  await (await holdDemo(`${dataDir}-more`))();
  await release();
  await (await holdDemo(dataDir))();
});

it('is free again when the process that had it was killed', { timeout: 20_000 }, async () => {
  const dataDir = `/nowhere/${process.pid}/killed`;
  const holder = await startHolder(dataDir);
  await expect(holdDemo(dataDir)).rejects.toThrow('runs already');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await (await holdDemo(dataDir))();
});
