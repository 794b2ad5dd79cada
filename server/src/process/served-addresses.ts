import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { type DataDir, findLockHolder, writePrivateFile } from './data-dir.ts';
import { findReachableAddress, type ReachableAddress } from './reachable-address.ts';

/** Where people and agents reach a server. */
export interface ServedAddresses extends ReachableAddress {
  publicUrl: string;
}

const File = z.object({
  pid: z.int(),
  publicUrl: z.url(),
  serverUrl: z.url(),
  grpcAddr: z.object({ host: z.string(), port: z.int() }),
  isReachable: z.boolean(),
});

const fileOf = (dataDir: string): string => join(dataDir, 'addresses.json');

type AddressConfig = Pick<Config, 'server' | 'publicUrl' | 'dataDir'>;
const addressesOf = (config: AddressConfig): ServedAddresses => ({
  publicUrl: config.publicUrl,
  ...findReachableAddress(config),
});

/** Leaves the addresses of this server next to its lock, for commands beside it whose environment may say otherwise. */
export function leaveAddresses(dataDir: Pick<DataDir, 'path'>, config: AddressConfig): void {
  writePrivateFile(fileOf(dataDir.path), `${JSON.stringify({ pid: process.pid, ...addressesOf(config) })}\n`);
}

function readFile(path: string): z.infer<typeof File> | undefined {
  try {
    return File.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** The addresses of the server that holds the data directory; those of this configuration where none does. */
export function findServedAddresses(config: AddressConfig): ServedAddresses {
  const left = readFile(fileOf(config.dataDir));
  // What a server that has ended left behind, by kill -9 also with its lock, is another process's.
  if (left === undefined || left.pid !== findLockHolder(config.dataDir)) return addressesOf(config);
  const { pid: _pid, ...addresses } = left;
  return addresses;
}
