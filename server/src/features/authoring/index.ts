/**
 * Tests out of words, without a model: the heuristic author (docs/tests/proposals.md). In: a request and the names that the tenant's own
 * data give. Out: tests with where each field comes from, a question back, or what is missing. It asks nobody and keeps nothing.
 */
export { type Authored, authorTests } from './domain/author.ts';
export { type CutText, cutSecrets } from './domain/cut-secrets.ts';
export type { Draft } from './domain/draft.ts';
export { findExamples } from './domain/examples.ts';
export { type HiddenRequest, hideTargets } from './domain/hide-targets.ts';
export type { Known, KnownRunnerName, Place } from './domain/known.ts';
