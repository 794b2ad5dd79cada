import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseKeyId } from '@svc/contracts/releases/release-signature';
import { AppError } from '#kernel';
import { type FolderRelease, signFolder } from './index.ts';

/** What the release verbs do with files beside the stores. */
export const releaseFiles = {
  /** The private key goes into a new file; AppError `conflict` when it is there, so that no key is ever lost to a slip. */
  async makeKey(path: string): Promise<{ publicKey: string; keyId: string }> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
    await writeFile(path, pem, { mode: 0o600, flag: 'wx', flush: true }).catch((cause: unknown) => {
      const isThere = Reflect.get(Object(cause), 'code') === 'EEXIST';
      if (isThere) throw new AppError('conflict', `${path} already exists and is not overwritten.`, { cause });
      throw new AppError('bad_request', `${path} cannot be written.`, { cause });
    });
    return { publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'), keyId: releaseKeyId(publicKey) };
  },
  async readKey(path: string): Promise<string> {
    return await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new AppError('bad_request', `The key file ${path} cannot be read.`, { cause });
    });
  },
  async signFolder(release: FolderRelease, pem: string): Promise<string[]> {
    const signed = await signFolder(release, pem, Date.now());
    for (const { feed, text, signature } of signed) {
      await writeFile(join(release.folder, feed.feed), text);
      await writeFile(join(release.folder, `${feed.feed}.sig`), signature);
    }
    return signed.map(({ feed }) => feed.feed);
  },
};
