import { Policy } from '@svc/contracts/policy';
import { AppError } from '#kernel';

const split = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** SVC_ENDPOINT_TRACE_TARGETS and SVC_ENDPOINT_SESSION_TARGETS, comma-separated; `validation` names what is not a target. */
export function readSeedTargets(trace: string | undefined, session: string | undefined): { trace: string[]; session: string[] } {
  const targets = { trace: split(trace), session: split(session) };
  const parsed = Policy.safeParse({ traceTargets: targets.trace, sessionTargets: targets.session });
  if (parsed.success) return targets;
  const faults = parsed.error.issues.map((issue) => ({
    path: issue.path[0] === 'traceTargets' ? 'SVC_ENDPOINT_TRACE_TARGETS' : 'SVC_ENDPOINT_SESSION_TARGETS',
    message: issue.message,
  }));
  throw new AppError('validation', 'The seeded targets are not valid.', { faults });
}
