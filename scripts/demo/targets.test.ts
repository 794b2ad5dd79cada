import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTargets } from './targets.js';

it('stops once, however often that is asked: Ctrl-C ends the demo and its server', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-targets-'));
  try {
    const targets = await startTargets({ dataDir, tenant: 'demo' });
    targets.stop();
    expect(() => targets.stop()).not.toThrow();
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
