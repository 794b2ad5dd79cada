import { isTenantId, type TenantId } from '#kernel';
import { type Fence, type LeasedWork, listTenants, startLeasedWork } from '#relational';
import type { TestPagesDeps } from '../context.ts';
import { createSettling } from './evaluate.ts';

/** Told by whoever stores runs: the tenant's id. */
const RUNS_CHANNEL = 'svc_test_runs';
/** Runs of a tenant are judged so often at most: batches of them come closer together than a person can see. */
const PAUSE_MS = 300;
/** Every tenant is judged so often whatever came: tests that fall silent tell nothing. */
const ROUND_MS = 20_000;

/** Tenants whose runs or tests changed, and when all of them are due. */
function createDue(now: () => number) {
  const changed = new Set<TenantId>();
  let all = true;
  let roundAtMs = 0;
  let wake = (): void => {};
  return {
    note(payload: string): void {
      if (isTenantId(payload)) changed.add(payload);
      else all = true;
      wake();
    },
    /** Those that are due now. */
    async take(listAll: () => Promise<TenantId[]>): Promise<TenantId[]> {
      if (!all && now() - roundAtMs < ROUND_MS) {
        const due = [...changed];
        changed.clear();
        return due;
      }
      changed.clear();
      all = false;
      roundAtMs = now();
      return await listAll();
    },
    /** Resolves when something is noted, or after a while. */
    wait: async (signal: AbortSignal): Promise<void> =>
      await new Promise((resolve) => {
        if (changed.size > 0 || all || signal.aborted) return resolve();
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          wake = () => {};
          resolve();
        };
        const timer = setTimeout(end, 1000).unref();
        signal.addEventListener('abort', end, { once: true });
        wake = end;
      }),
    /** A new holder of the lease knows nothing of what the one before has judged. */
    begin: (): void => {
      all = true;
    },
  };
}

/**
 * Judges tests by what is stored and tells what they raise, on the one process that has the lease: within a second of the run that changes it.
 * Nothing is kept here that a restart would lose.
 */
export async function startSignals(context: TestPagesDeps): Promise<{ close(): Promise<void> }> {
  const { relational, log } = context;
  const settle = createSettling(context);
  const due = createDue(() => performance.now());
  const stopRuns = await relational.listen(RUNS_CHANNEL, due.note);
  const stopTests = context.tests().onChanged((tenant) => due.note(tenant ?? ''));
  const tenants = async (): Promise<TenantId[]> => (await listTenants(relational)).map(({ id }) => id).filter(isTenantId);

  async function judgeOne(tenant: TenantId, fence: Fence): Promise<void> {
    await settle(tenant, fence).catch((error: unknown) => {
      if (fence.signal.aborted) return;
      log.error({ err: error, tenant }, 'tests of a tenant could not be judged; tried again');
      due.note(tenant);
    });
  }

  const work: LeasedWork = startLeasedWork(relational, {
    name: 'test-signals',
    everyMs: 1000,
    log,
    async work(fence) {
      due.begin();
      while (!fence.signal.aborted) {
        for (const tenant of await due.take(tenants)) {
          if (fence.signal.aborted) return;
          await judgeOne(tenant, fence);
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
        await due.wait(fence.signal);
      }
    },
  });
  return {
    async close() {
      await work.close();
      stopTests();
      await stopRuns();
    },
  };
}
