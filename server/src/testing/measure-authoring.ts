import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTest } from '@svc/contracts/tests/written-test';
import { parse } from 'yaml';
import { type Authored, authorTests, type Known } from '../features/authoring/index.ts';

/** The quality set of the heuristic author: 300 requests in five languages with the tests that are meant (docs/tests/proposals.md). */

interface Wanted {
  type: string;
  target: string;
  every?: number;
  wait?: number;
  runners?: object;
  failing_after?: number;
  fail_when?: number;
  p?: object;
  a?: object;
}

export interface Case {
  q: string;
  w: Wanted | Wanted[] | 'none' | 'choice';
}

const FOLDER = join(import.meta.dirname, 'fixtures', 'authoring');
export const SETS = ['en', 'de', 'fr', 'es', 'nl', 'held-out', 'strangers', 'reviewers'] as const;

const readYaml = (name: string): unknown => parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'));
export const readCases = (set: (typeof SETS)[number]): Case[] => readYaml(set) as Case[];
export const readKnown = (): Known => readYaml('known') as Known;

const FIELDS = [
  'type',
  'target',
  'interval_seconds',
  'timeout_seconds',
  'params',
  'runners',
  'fail_when',
  'failing_after',
] as const;
type Field = (typeof FIELDS)[number];
type Flat = Record<Field, string>;

/** The fields that count, whole and with their defaults, each as text. */
function flatten(test: object): Flat {
  const read = readTest({ ...test, name: 'any' });
  if ('faults' in read) throw new Error(`no valid test: ${JSON.stringify(test)}: ${JSON.stringify(read.faults)}`);
  const target = URL.parse(read.target)?.href ?? read.target;
  return Object.fromEntries(
    FIELDS.map((field) => [field, JSON.stringify(field === 'target' ? target : read[field]) ?? 'none']),
  ) as Flat;
}

const written = ({ type, target, every, wait, p, a, ...rest }: Wanted): object => ({
  ...{ type, target, ...rest },
  ...(every === undefined ? {} : { interval_seconds: every }),
  ...(wait === undefined ? {} : { timeout_seconds: wait }),
  ...(p || a ? { params: { ...p, ...(a ? { assertions: a } : {}) } } : {}),
});

export type Outcome = 'exact' | 'wrong' | 'refused' | 'asked';

export interface Judged {
  outcome: Outcome;
  /** Fields of tests that were proposed and are as they were meant, of all those that were. */
  fields: Partial<Record<Field, boolean>>;
  got: Authored;
}

export function judge({ q, w }: Case, known: Known): Judged {
  const got = authorTests(q, known);
  if ('missing' in got) return { outcome: w === 'none' ? 'exact' : 'refused', fields: {}, got };
  if ('choices' in got) return { outcome: w === 'choice' ? 'exact' : 'asked', fields: {}, got };
  if (w === 'none' || w === 'choice') return { outcome: 'wrong', fields: {}, got };
  const wanted = [w].flat().map((one) => flatten(written(one)));
  const given = got.drafts.map(({ test }) => flatten(test));
  const fields: Judged['fields'] = {};
  for (const field of FIELDS)
    fields[field] = wanted.length === given.length && wanted.every((one, index) => one[field] === given[index]?.[field]);
  return { outcome: Object.values(fields).every(Boolean) ? 'exact' : 'wrong', fields, got };
}

export interface Figures {
  cases: number;
  exact: number;
  wrong: number;
  refused: number;
  asked: number;
  /** Proposals for what is impossible. */
  invented: number;
  fields: Record<Field, [right: number, of: number]>;
}

export function measure(cases: readonly Case[], known: Known): Figures {
  const figures: Figures = {
    ...{ cases: cases.length, exact: 0, wrong: 0, refused: 0, asked: 0, invented: 0 },
    fields: Object.fromEntries(FIELDS.map((field) => [field, [0, 0]])) as unknown as Figures['fields'],
  };
  for (const one of cases) {
    const { outcome, fields, got } = judge(one, known);
    figures[outcome] += 1;
    if (one.w === 'none' && !('missing' in got)) figures.invented += 1;
    for (const [field, isRight] of Object.entries(fields) as [Field, boolean][]) {
      const [right, of] = figures.fields[field];
      figures.fields[field] = [right + (isRight ? 1 : 0), of + 1];
    }
  }
  return figures;
}
