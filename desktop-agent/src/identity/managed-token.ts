import { createHash } from 'node:crypto';
import type { KeptFile } from '../kept-file.ts';

export type TakeToken = () => Promise<{ server: string; token: string } | undefined>;

export interface ManagedTokenDeps {
  /** Where the hash of a token that did its work is kept. */
  file: KeptFile;
  offered: { server: string; token: string } | undefined;
  /** Whether this device holds an identity as it starts. */
  isEnrolled: boolean;
}

/**
 * The enrol token of the managed configuration, for one enrolment of this device. It stays there for the whole fleet, so what did its work
 * is remembered by hash: a device that was erased from the fleet does not come back by itself, and a new token works.
 * Asked again in one process means that the last one was used or refused; the keeper itself tries on while nobody answers.
 */
export function createManagedToken({ file, offered, isEnrolled }: ManagedTokenDeps): TakeToken {
  const hash = createHash('sha256')
    .update(offered?.token ?? '')
    .digest('base64url');
  let isHandedOver = false;
  return async () => {
    if (!offered) return undefined;
    const { handed, spent } = ((await file.read()) ?? {}) as { handed?: unknown; spent?: unknown };
    if (spent === hash) return undefined;
    if (isHandedOver || (isEnrolled && handed === hash)) {
      await file.write({ spent: hash });
      return undefined;
    }
    await file.write({ handed: hash });
    isHandedOver = true;
    return offered;
  };
}
