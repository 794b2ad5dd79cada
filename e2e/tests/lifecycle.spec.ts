import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { freePort } from '@svc/testkit/free-port';
import { startProduct } from '../stack/product.ts';

/** Processes whose command line or environment names the data directory. */
const leftovers = (dataDir: string): string[] =>
  execFileSync('ps', ['axeww', '-o', 'pid,args'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter((line) => line.includes(dataDir) && !line.includes('axeww'));

test('Ctrl-C leaves nothing running, and the second start is quick and finds everything', async ({ request }) => {
  test.setTimeout(180_000);
  const ports = { http: await freePort(), grpc: await freePort() };
  const first = await startProduct({ ports });
  try {
    expect(first.claimLink).toBeDefined();
    await expect.poll(() => first.output(), { timeout: 30_000 }).toContain('Connected to');
    expect(await first.stop()).toBe(0);
    expect(leftovers(first.dataDir)).toEqual([]);

    const second = await startProduct({ ports, dataDir: first.dataDir });
    const ready = await request.get(`${second.url}/readyz`, { ignoreHTTPSErrors: true });
    expect(ready.status()).toBe(200);
    expect(second.readyMs).toBeLessThan(5000);
    test.info().annotations.push({ type: 'second start', description: `${(second.readyMs / 1000).toFixed(1)} s` });
    await expect.poll(() => second.output(), { timeout: 30_000 }).toContain('Connected to');
    expect(second.output()).not.toContain('Enrolled as');
    expect(await second.stop()).toBe(0);
    expect(leftovers(first.dataDir)).toEqual([]);
  } finally {
    rmSync(first.dataDir, { recursive: true, force: true });
  }
});
