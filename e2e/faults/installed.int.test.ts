import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../env.ts';
import { ensureServerBuilt, serverProgram } from './built-programs.ts';
import { cleanUp, type Installation, newInstallation, runServer } from './server-process.ts';

let folder: string;
let installation: Installation;

/** The server's build with every package but chDB, as npm leaves it where an optional package has no binary. */
beforeAll(async () => {
  await ensureServerBuilt();
  folder = mkdtempSync(join(tmpdir(), 'svc-installed-'));
  const program = join(folder, 'server', 'dist');
  cpSync(join(serverProgram, '..'), program, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== 'chdb') symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['prisma', 'clickhouse']) symlinkSync(join(root, name), join(folder, name));
  installation = { ...(await newInstallation()), program: join(program, 'main.js') };
});
afterAll(async () => {
  await cleanUp(installation);
  rmSync(folder, { recursive: true, force: true });
});

test.each(['an installation', 'a checkout'])(
  '%s without chDB ends with 2, names SVC_CLICKHOUSE_URL and makes nothing',
  async (kind) => {
    if (kind === 'a checkout') writeFileSync(join(folder, 'turbo.json'), '{}');
    const server = await runServer(installation);
    expect(await server.exited).toBe(2);
    expect(server.output()).toMatch(/^ {2}SVC_CLICKHOUSE_URL must be set: .+ Run a ClickHouse server and give its address/m);
    expect(existsSync(installation.dataDir)).toBe(false);
  },
);
