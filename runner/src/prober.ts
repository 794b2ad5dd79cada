import { findChromium } from '@svc/probes/browser/find-chromium';
import { lacksOf } from '@svc/probes/synthetic/lacks-of';
import { runTest } from '@svc/probes/synthetic/run-test';
import { createTargetGuard } from '@svc/probes/synthetic/safety/target-guard';
import type { Prober } from './run-test.ts';
import { watchHosts } from './watch-hosts.ts';

export interface OpenProberOptions {
  /** SVC_TARGETS_ALLOW of this machine. */
  allow: readonly string[];
  /** Hosts that no test may reach: not by their names, and at none of the addresses that these have now. */
  forbiddenHosts?: readonly string[];
  /** Host names that no test may reach, at addresses that are others' too. */
  forbiddenNames?: readonly string[];
  /** SVC_CHROMIUM; undefined: where distributions have it. */
  chromium?: string | undefined;
  onInternalError?: (error: unknown) => void;
}

/** What tests of this machine are measured with. */
export async function openProber({
  allow,
  forbiddenHosts = [],
  forbiddenNames = [],
  chromium: named,
  onInternalError,
}: OpenProberOptions): Promise<Prober> {
  const forbidden = await watchHosts(forbiddenHosts);
  const guard = createTargetGuard({ allow, forbidden, forbiddenNames: [...forbiddenHosts, ...forbiddenNames] });
  const chromium = findChromium(named);
  const own = { guard, ...(chromium === undefined ? {} : { chromium }), ...(onInternalError ? { onInternalError } : {}) };
  return {
    lacksOf: () => lacksOf({ chromium }),
    runTest: async (test, { resolveSecret, signal, onProgress, onBusy, takeTurn }) =>
      await runTest(test, {
        ...{ ...own, resolveSecret, signal },
        ...(onProgress ? { onProgress } : {}),
        ...(onBusy ? { onBusy } : {}),
        ...(takeTurn ? { takeTurn } : {}),
      }),
  };
}
