import type { FieldOrigin, OneProposal, ProposalAuthor } from '@svc/contracts/proposals/proposal';
import { secretsIn } from '@svc/contracts/tests/params/shared';
import type { TestSpec } from '@svc/contracts/tests/test';
import { readTest, type WrittenTest } from '@svc/contracts/tests/written-test';

/** A proposal as it is surfaced: the whole test, valid by the one schema, with where each of its fields comes from. */

export interface Drafted {
  test: WrittenTest;
  fields: Readonly<Record<string, 'asked' | 'inferred'>>;
  reasons: Readonly<Record<string, string>>;
  rationale: string;
}

/** Paths of all values; a list is one. */
function* leavesOf(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield path;
    return;
  }
  for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, path === '' ? key : `${path}.${key}`);
}

const originOf = (path: string, fields: Drafted['fields']): FieldOrigin => {
  const named = Object.keys(fields).find((known) => path === known || path.startsWith(`${known}.`));
  return named === undefined ? 'default' : (fields[named] ?? 'default');
};

/** The proposal, or what is wrong with its test. */
export function completeProposal(
  { test: drafted, fields, reasons, rationale }: Drafted,
  author: ProposalAuthor,
): { proposal: OneProposal; spec: TestSpec } | { faults: string[] } {
  const spec = readTest(drafted);
  if ('faults' in spec) return { faults: spec.faults.map(({ path, message }) => `${path}: ${message}`) };
  const test = spec as WrittenTest;
  const origins = Object.fromEntries([...leavesOf(test, '')].map((path) => [path, originOf(path, fields)]));
  const secrets = secretsIn(JSON.stringify(spec.params));
  return { spec, proposal: { test, rationale, author, fields: origins, reasons: { ...reasons }, secrets } };
}
