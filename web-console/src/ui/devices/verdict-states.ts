import type { Verdict } from '@svc/contracts/endpoint/view';
import type { Cause } from '@svc/contracts/verdict';

// Apart from their words: every page loads what addresses are read with.

/** The causes that mean "slow", in the order of the layers. */
export const SLOW_CAUSES = ['wifi', 'local', 'isp', 'network', 'unknown'] as const satisfies readonly Cause[];

/** States that give no verdict. */
export const NO_VERDICT = [
  'paused',
  'no_contact',
  'needs_permission',
  'declined',
  'update_required',
  'pending',
] as const satisfies readonly Verdict[];
