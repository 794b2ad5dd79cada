import { randomBytes } from 'node:crypto';
import { networkFingerprint, type ReadNetworkIdentity } from '@svc/native/identity/identity';
import type { KeptFile } from '../kept-file.ts';

const SALT_BYTES = 32;

/**
 * A name for the present network, under which usual values are kept on this device. The salt is made once and stays in the state
 * directory; neither it nor the name ever leaves the device.
 */
export interface NetworkFingerprint {
  /** Of the network as it was read last; undefined before that and without a way out. */
  current(): string | undefined;
  /** Reads it anew: at the start and when the network changed. Never rejects. */
  refresh(): Promise<string | undefined>;
}

export interface NetworkFingerprintDeps {
  /** `network-salt.json` of the state directory. */
  file: KeptFile;
  readIdentity: ReadNetworkIdentity;
  collectsSsid(): boolean;
}

/** A disk that refuses costs what is usual at the next start, and nothing else. */
export async function openNetworkFingerprint({
  file,
  readIdentity,
  collectsSsid,
}: NetworkFingerprintDeps): Promise<NetworkFingerprint> {
  const salt = saltOf(await file.read()) ?? randomBytes(SALT_BYTES);
  await file.write({ salt: salt.toString('base64url') }).catch(() => undefined);
  let current: string | undefined;
  let turn = 0;
  return {
    current: () => current,
    async refresh() {
      turn += 1;
      const mine = turn;
      const identity = await readIdentity({ collectSsid: collectsSsid() }).catch(() => undefined);
      // A later look knows better.
      if (mine === turn) current = identity && networkFingerprint(identity, salt);
      return current;
    },
  };
}

function saltOf(kept: unknown): Buffer | undefined {
  const text = typeof kept === 'object' && kept !== null && 'salt' in kept ? kept.salt : undefined;
  const salt = typeof text === 'string' ? Buffer.from(text, 'base64url') : undefined;
  return salt?.length === SALT_BYTES ? salt : undefined;
}
