import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Policy } from '@svc/contracts/policy';
import { messageOf } from './agent-error.ts';
import type { RunChore } from './chores/run-chore.ts';
import { DEFAULT_POLICY } from './settings.ts';

export interface PolicyStore {
  current(): Readonly<Policy>;
  /** When the policy in force was received, Unix milliseconds; undefined for the default one. */
  receivedAtMs(): number | undefined;
  /** Takes a policy that the server sent; true when it is another one. One that is not valid is refused and the old one stays. */
  receive(json: string): Promise<boolean>;
}

/** The tenant's policy, kept over restarts, so that a device without contact goes on as it was told. */
export async function openPolicyStore(
  directory: string,
  runChore: RunChore,
  log: (message: string) => void,
): Promise<PolicyStore> {
  const path = join(directory, 'policy.json');
  let text = await readFile(path, 'utf8').catch(() => undefined);
  let policy: Readonly<Policy> = DEFAULT_POLICY;
  if (text !== undefined) {
    try {
      policy = await runChore('parsePolicy', { json: text });
    } catch (error) {
      log(`The kept policy is not used: ${messageOf(error)}`);
    }
  }
  let receivedAtMs = policy === DEFAULT_POLICY ? undefined : (await stat(path).catch(() => undefined))?.mtimeMs;
  return {
    current: () => policy,
    receivedAtMs: () => receivedAtMs,
    async receive(json) {
      if (json === text) return false;
      try {
        policy = await runChore('parsePolicy', { json });
      } catch (error) {
        log(`A policy of the server is not used: ${messageOf(error)}`);
        return false;
      }
      text = json;
      receivedAtMs = Date.now();
      try {
        await writeFile(`${path}.new`, json, { mode: 0o600 });
        await rename(`${path}.new`, path);
      } catch (error) {
        log(`The policy could not be kept for the next start: ${messageOf(error)}`);
      }
      return true;
    },
  };
}
