import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWindows, windowsMissing } from '@svc/native/testing/windows-machine';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const reason = await windowsMissing();
if (reason) process.stderr.write(`SKIPPED: the managed configuration of Windows: ${reason}\n`);

describe.skipIf(reason)('the managed configuration on Windows (wine)', () => {
  /** A Windows of its own: the registry is written, and another test may stop the one that is shared. */
  let prefix: string;
  beforeAll(async () => {
    prefix = await mkdtemp(join(tmpdir(), 'svc-registry-'));
  });
  afterAll(() => rm(prefix, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 }));

  it('is read from the registry by reg.exe, and its absence is no fault', async () => {
    const windows = await startWindows();
    const script = join(prefix, 'managed.mjs');
    const source = join(import.meta.dirname, 'testing/managed-on-windows.ts');
    await build({ entryPoints: [source], outfile: script, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
    const { output, words } = await windows.run(script, [], { WINEPREFIX: join(prefix, 'wine') });
    const { before, after } = JSON.parse(output || `{"failed":${JSON.stringify(words)}}`);
    expect(before).toEqual({ faults: [] });
    expect(after).toEqual({
      faults: [],
      managed: {
        place: 'HKLM\\SOFTWARE\\Policies\\NetworkObservability\\Agent',
        server: 'https://monitor.example:8443',
        enrolToken: `svc_enr_${'a'.repeat(32)}`,
        updates: 'self',
        settings: {
          SVC_AGENT_SITE: 'Building 4, north',
          SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '30',
          SVC_ENDPOINT_TRACE_TARGETS: '192.0.2.53,ns.example',
        },
      },
    });
  });
});
