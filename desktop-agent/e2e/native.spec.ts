import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { build } from 'esbuild';
import { builtFace } from './build.ts';
import { startStand } from './stand.ts';

interface Told {
  output: {
    versions: Record<string, string>;
    gateway: string;
    wifi: object;
    ping: { value?: { sent: number; received: number; rttsMs: number[] } };
    trace: { value?: { reached: boolean; hops: { addresses: string[] }[] } };
  };
  error?: string;
}

/** The Electron of the tests may bring a Node older than the service's: what that lacks of the language, never of the system. */
const OLD_NODE = `Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};`;

test('the native bindings read route, Wi-Fi, gateway and path inside a utility process', async () => {
  const program = join(builtFace, '..', 'native-in-utility.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'native-in-utility.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node16',
    external: ['koffi'],
    banner: { js: OLD_NODE },
    logLevel: 'error',
  });
  const stand = await startStand({ enrolled: false });
  try {
    const { output, error } = await stand.app.evaluate(
      ({ utilityProcess }, path) =>
        new Promise<Told>((resolve, reject) => {
          const child = utilityProcess.fork(path);
          child.once('message', (told) => {
            resolve(told);
            child.kill();
          });
          child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
        }),
      program,
    );
    expect(error).toBeUndefined();
    expect(output.versions.electron).toBeTruthy();
    expect(output.gateway).toMatch(/^[\d.]+$|:/);
    expect(output.wifi).toBeTruthy();
    expect(output.ping.value?.sent).toBe(5);
    expect(output.ping.value?.received).toBeGreaterThan(0);
    expect(output.trace.value).toMatchObject({ reached: true, hops: [{ addresses: ['127.0.0.1'] }] });
  } finally {
    await stand.stop();
  }
});
