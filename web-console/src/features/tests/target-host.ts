import { splitHostPort } from '@svc/contracts/tests/target';

/** The host of a test's target, without brackets and in lower case; undefined where it has none. */
export function hostOf(target: string): string | undefined {
  if (/^https?:\/\//i.test(target)) return URL.parse(target)?.hostname.replace(/^\[|\]$/g, '') || undefined;
  return splitHostPort(target)?.host.toLowerCase();
}
