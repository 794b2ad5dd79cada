import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DataDir, openDataDir } from './data-dir.ts';
import { findServedAddresses, leaveAddresses } from './served-addresses.ts';

type Asked = Parameters<typeof findServedAddresses>[0];

let parent: string;
let dataDir: DataDir;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-addresses-'));
  dataDir = openDataDir(join(parent, 'data'));
});
afterEach(() => {
  dataDir.release();
  rmSync(parent, { recursive: true, force: true });
});

const config = (port: number): Asked =>
  ({
    dataDir: dataDir.path,
    publicUrl: `https://localhost:${port}`,
    server: {
      listenAddr: { host: '127.0.0.1', port },
      agentGrpcAddr: { host: '127.0.0.1', port: port + 1 },
      agentPublicAddr: undefined,
      publicUrl: undefined,
    },
  }) as unknown as Asked;

const served = (port: number) => ({
  publicUrl: `https://localhost:${port}`,
  serverUrl: `https://localhost:${port}`,
  grpcAddr: { host: 'localhost', port: port + 1 },
  isReachable: false,
});

test('a command beside a server finds the addresses that the server left, for its own user alone', () => {
  leaveAddresses(dataDir, config(18_443));
  expect(findServedAddresses(config(8443))).toEqual(served(18_443));
  expect(statSync(join(dataDir.path, 'addresses.json')).mode & 0o777).toBe(0o600);
});

test('what another process left, what is damaged, and what nobody holds is not believed', () => {
  expect(findServedAddresses(config(8443))).toEqual(served(8443));
  leaveAddresses(dataDir, config(18_443));
  const file = join(dataDir.path, 'addresses.json');
  const left = readFileSync(file, 'utf8');
  for (const text of [left.replace(/"pid":\d+/, '"pid":1'), left.slice(0, 20), '{}']) {
    writeFileSync(file, text);
    expect(findServedAddresses(config(8443))).toEqual(served(8443));
  }
  writeFileSync(file, left);
  dataDir.release();
  expect(findServedAddresses(config(8443))).toEqual(served(8443));
});
