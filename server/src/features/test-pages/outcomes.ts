import { canonicalHost } from '@svc/contracts/tests/target';
import type { Test } from '@svc/contracts/tests/test';
import type { TestType } from '@svc/contracts/tests/test-types';
import type { TenantId } from '#kernel';
import type { Span, TestPagesDeps } from './context.ts';

/** Those that ask a host what its users ask it. */
const AS_USERS: readonly TestType[] = ['http', 'https', 'browser'];

export interface TestOutcome {
  id: string;
  name: string;
  passed: number;
  failed: number;
}

/** What tests of a host came to within a stretch of time. */
export interface HostOutcome {
  passed: number;
  failed: number;
  /** By name: those that are enabled, with or without runs, and others that have some. */
  tests: readonly TestOutcome[];
}

const sumOf = (tests: readonly TestOutcome[], key: 'passed' | 'failed'): number =>
  tests.reduce((sum, test) => sum + test[key], 0);

function groupByHost(tests: readonly Test[], hosts: readonly string[]): Map<string, Test[]> {
  const groups = new Map(hosts.map((host): [string, Test[]] => [canonicalHost(host), []]));
  for (const test of tests) if (AS_USERS.includes(test.type)) groups.get(canonicalHost(test.target))?.push(test);
  return groups;
}

/**
 * What the tests of type http, https and browser came to at hosts, by host as `canonicalHost` writes it. Runs on demand, runs that could measure
 * nothing and runs that began in a maintenance window are left out; a host that no test asks has no tests.
 */
export async function outcomesOfHosts(
  { tests, runs }: Pick<TestPagesDeps, 'tests' | 'runs'>,
  tenant: TenantId,
  { hosts, ...within }: Span & { hosts: readonly string[] },
): Promise<Map<string, HostOutcome>> {
  const [{ list }, covered] = await Promise.all([tests().read(tenant), tests().maintainedWithin(tenant, within)]);
  const groups = groupByHost(list, hosts);
  const asked = [...groups.values()].flat();
  const except = asked.flatMap(({ id, target, site }) =>
    covered({ testId: id, target, site }).map((span) => ({ ...span, testId: id })),
  );
  const found = await runs.outcomes(
    tenant,
    asked.map(({ id }) => id),
    { ...within, except },
  );
  return new Map(
    [...groups].map(([host, group]): [string, HostOutcome] => {
      const shown = group
        .filter(({ id, enabled }) => enabled || found.has(id))
        .map(({ id, name }) => ({ id, name, ...(found.get(id) ?? { passed: 0, failed: 0 }) }));
      return [host, { passed: sumOf(shown, 'passed'), failed: sumOf(shown, 'failed'), tests: shown }];
    }),
  );
}
