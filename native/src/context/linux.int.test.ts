import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createContextReader } from './linux.ts';
import { meteredReading } from './network-manager.ts';
import { runTool } from './run-tool.ts';

describe.runIf(process.platform === 'linux')('the context of this machine', () => {
  it('is read in under three seconds, each part a value or a reason', async () => {
    const startedMs = performance.now();
    const { cellular, ...reading } = await createContextReader().read();
    expect(performance.now() - startedMs).toBeLessThan(3000);
    for (const part of [...Object.values(reading), ...Object.values(cellular)]) {
      expect('value' in part || part.unavailable).toBeTruthy();
    }
    if (!existsSync('/run/NetworkManager')) expect(reading.metered).toEqual({ unavailable: 'not_supported' });
  });

  it('takes the route of a given address', async () => {
    expect((await createContextReader().read({ towards: '127.0.0.1' })).vpn).toEqual({ value: false });
  });
});

describe('a tool of the system', () => {
  it('gives its words, or how it failed', async () => {
    expect(await runTool(process.execPath, ['-e', 'process.stdout.write("u 4")'])).toEqual({ output: 'u 4' });
    expect(await runTool('no-such-tool-of-any-system', [])).toEqual({ failed: 'missing' });
    expect(await runTool(process.execPath, ['-e', 'process.exit(3)'])).toEqual({ failed: 'error' });
    const refusal = 'console.error("error: couldn\'t setup: GDBus.Error:Unauthorized: not authorized"); process.exit(1)';
    expect(await runTool(process.execPath, ['-e', refusal])).toEqual({ failed: 'refused' });
  });

  it('is ended when it takes too long', async () => {
    const startedMs = performance.now();
    expect(await runTool(process.execPath, ['-e', 'setInterval(() => 0, 1000)'])).toEqual({ failed: 'error' });
    expect(performance.now() - startedMs).toBeLessThan(4000);
  });
});

it.each([
  ['u 0\n', undefined],
  ['u 1\n', true],
  ['u 2\n', false],
  ['u 3\n', true],
  ['u 4\n', false],
  ['u 99\n', undefined],
  ['', undefined],
])('reads NetworkManager’s %j', (answer, metered) => {
  expect(meteredReading(answer)).toEqual(metered === undefined ? { unavailable: 'not_supported' } : { value: metered });
});
