import type { PlannedSecret, PlannedTest } from '@svc/contracts/tests/plan';
import type { PlannedTestMessage, PlanPart } from '@svc/contracts/tests/runner-messages';
import { sealedSecretInfo } from '@svc/contracts/tests/sealed-secret';
import { Test } from '@svc/contracts/tests/test';
import type { Runner } from '../runner.ts';
import type { Credentials } from './identity-store.ts';
import { openSecret } from './open-secret.ts';
import type { PlanFile } from './plan-file.ts';

/** The one owner of all tests of a runner elsewhere: its tenant. */
export const OWNER = 'own';

/** Secrets are opened here and stay in memory. One that cannot be opened is left out: the test then says that it lacks it. */
function openAll({ secrets }: PlannedTestMessage, { key_pem, tenant_id, runner_id }: Credentials): PlannedSecret[] {
  return secrets.flatMap(({ name, hosts, sealed }) => {
    try {
      const info = sealedSecretInfo({ tenant: tenant_id, runnerId: runner_id, name });
      return [{ name, hosts, value: openSecret(key_pem, sealed, info) }];
    } catch {
      return [];
    }
  });
}

/** Undefined for one that a newer server has and this runner cannot read. */
export function readPlanned(message: PlannedTestMessage, credentials: Credentials): PlannedTest | undefined {
  try {
    const test = Test.parse(JSON.parse(Buffer.from(message.test_json).toString('utf8')));
    return { test, secrets: openAll(message, credentials) };
  } catch {
    return undefined;
  }
}

/** A change that is whole is kept on disk so much later, with those that come meanwhile. */
const KEEP_AFTER_MS = 2000;

export interface RemotePlanDeps {
  runner: Pick<Runner, 'change' | 'idsOf' | 'find'>;
  credentials: () => Credentials;
  /** Where a plan outlives the process. */
  file: PlanFile;
  /** The plan was not kept. */
  onFailed: (error: unknown) => void;
}

/** The secrets of tests as they came, for the disk; their values are with the runner, and in memory only. */
function createKeeping({ runner, credentials, file, onFailed }: RemotePlanDeps) {
  const sealed = new Map<string, PlannedTestMessage['secrets']>();
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();

  function* messages(): Generator<PlannedTestMessage> {
    for (const id of runner.idsOf(OWNER)) {
      const planned = runner.find(id);
      if (planned) yield { test_json: Buffer.from(JSON.stringify(planned.test), 'utf8'), secrets: sealed.get(id) ?? [] };
    }
  }
  const save = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    saving = saving.then(() => file.save(credentials(), messages())).catch(onFailed);
    return saving;
  };
  return {
    note(id: string, secrets: PlannedTestMessage['secrets']): void {
      if (secrets.length > 0) sealed.set(id, secrets);
      else sealed.delete(id);
    },
    forget: (id: string): void => void sealed.delete(id),
    saveSoon(): void {
      timer ??= setTimeout(() => void save(), KEEP_AFTER_MS).unref();
    },
    /** What was not kept yet. */
    close: async (): Promise<void> => await (timer ? save() : saving),
  };
}

/** Puts the server's parts into the runner's plan. What a plan that begins anew does not name goes when it is whole, never before. */
export function createRemotePlan(deps: RemotePlanDeps) {
  const { runner, credentials, file } = deps;
  const keeping = createKeeping(deps);
  let named: Set<string> | undefined;
  let revision = 0;

  const read = (messages: readonly PlannedTestMessage[]): PlannedTest[] => {
    const own = credentials();
    return messages.flatMap((message) => {
      const planned = readPlanned(message, own);
      if (planned) keeping.note(planned.test.id, message.secrets);
      return planned ?? [];
    });
  };
  return {
    /** Of the last plan or change that is whole. */
    revision: (): number => revision,
    /** The plan of the process before this one, until the server sends another. */
    async restore(tell: (line: string) => void): Promise<void> {
      const put = read(await file.load(credentials()));
      runner.change(OWNER, { put, remove: [] });
      if (put.length > 0) tell(`${put.length} tests of the plan before`);
    },
    take(part: PlanPart): void {
      if (part.anew) named = new Set();
      const put = read(part.put);
      for (const { test } of put) named?.add(test.id);
      const gone = new Set(part.removed);
      if (part.last && named) for (const id of runner.idsOf(OWNER)) if (!named.has(id)) gone.add(id);
      for (const id of gone) keeping.forget(id);
      runner.change(OWNER, { put, remove: [...gone] });
      if (!part.last) return;
      named = undefined;
      revision = part.revision;
      keeping.saveSoon();
    },
    /** The connection is another one: half a plan counts for nothing. */
    reset(): void {
      named = undefined;
      revision = 0;
    },
    close: keeping.close,
    /** This runner is one no more. */
    async forget(): Promise<void> {
      runner.change(OWNER, { put: [], remove: runner.idsOf(OWNER) });
      await keeping.close();
      await file.remove();
    },
  };
}
