import { chmod, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../agent-error.ts';
import { makeDirectory } from '../make-directory.ts';
import { syncDirectory } from '../sync-directory.ts';
import type { Credentials, Identity } from './identity.ts';

/** Where an identity rests between starts. `save` replaces as a whole: after a crash either the old or the new one is there. */
export interface IdentityStore {
  /** Undefined where there is none; an AgentError where one is there and cannot be read. */
  load(): Promise<Credentials | undefined>;
  save(credentials: Credentials): Promise<void>;
  /** Forgets the certificate; the key stays, so that enrolling again keeps the same agent. */
  forget(): Promise<void>;
  /** The key alone: also where no identity is held any more. */
  loadKey(): Promise<string | undefined>;
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function replace(directory: string, name: string, content: string): Promise<void> {
  const temporary = join(directory, `${name}.new`);
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, join(directory, name));
  await syncDirectory(directory);
}

/** Of a file from before the trust was named: a pinned server always named its authority, one that the system's roots prove never did. */
const trustOf = ({ grpcTrust, grpcCa, pin }: Record<string, unknown>): unknown =>
  grpcTrust ?? (grpcCa === '' && pin === undefined ? 'system' : 'authority');

/** The identity that a document holds, or undefined: nothing is guessed about what is trusted. */
function readIdentity(value: unknown): Identity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const isWhole = ['server', 'agentId', 'tenantId', 'chain', 'grpcAddr', 'notAfter', 'ring'].every(
    (name) => typeof fields[name] === 'string' && fields[name] !== '',
  );
  const grpcTrust = trustOf(fields);
  const isTrusted = grpcTrust === 'system' ? fields.grpcCa === '' : typeof fields.grpcCa === 'string' && fields.grpcCa !== '';
  if (!isWhole || !isTrusted || (grpcTrust !== 'system' && grpcTrust !== 'authority')) return undefined;
  return { ...(fields as unknown as Identity), grpcTrust };
}

/** Files of mode 0600 in a directory of mode 0700. */
export function createIdentityStore(directory: string): IdentityStore {
  const loadKey = (): Promise<string | undefined> => readOptional(join(directory, 'key.pem'));
  return {
    loadKey,
    async load() {
      const [text, keyPem] = await Promise.all([readOptional(join(directory, 'identity.json')), loadKey()]);
      if (text === undefined || keyPem === undefined) return undefined;
      let document: unknown;
      try {
        document = JSON.parse(text);
      } catch (cause) {
        throw new AgentError('internal', `${join(directory, 'identity.json')} is damaged: remove it and enrol again.`, { cause });
      }
      const identity = readIdentity(document);
      if (!identity)
        throw new AgentError('internal', `${join(directory, 'identity.json')} is incomplete: remove it and enrol again.`);
      return { identity, keyPem };
    },
    async save({ identity, keyPem }) {
      await makeDirectory(directory);
      await chmod(directory, 0o700);
      await replace(directory, 'key.pem', keyPem);
      await replace(directory, 'identity.json', JSON.stringify(identity, null, 2));
    },
    forget: () => rm(join(directory, 'identity.json'), { force: true }),
  };
}
