import { canonicalHost } from '@svc/contracts/tests/target';
import type { TestSpec } from '@svc/contracts/tests/test';

/** Every host that a run speaks to because the test says so: its target, the resolver of a DNS test, pages that steps of a browser open. */
export function askedHosts(spec: TestSpec): string[] {
  const written = [spec.target];
  if (spec.type === 'dns' && spec.params.resolver !== undefined) written.push(spec.params.resolver);
  if (spec.type === 'browser')
    for (const step of spec.params.steps)
      if (step.do === 'open') written.push(URL.parse(step.url, spec.target)?.href ?? step.url);
  return [...new Set(written.map(canonicalHost))];
}
