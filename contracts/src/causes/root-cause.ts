import { z } from 'zod';
import { EVIDENCE_PLANES } from './facts.ts';

/** The explanation of an incident as `GET /v1/incidents/{id}/rca` gives it (docs/contract/causes.md). */

export const HYPOTHESIS_KINDS = [
  'change',
  'dependency',
  'network',
  'capacity',
  'certificate',
  'dns',
  'client',
  'unknown',
] as const;
export type HypothesisKind = (typeof HYPOTHESIS_KINDS)[number];

export const CONFIDENCE_LEVELS = ['high', 'medium', 'low', 'none'] as const;
export type ConfidenceLevel = (typeof CONFIDENCE_LEVELS)[number];

export const EVIDENCE_PAGES = ['test', 'site', 'service', 'traces', 'logs', 'change', 'app'] as const;

export const EvidenceItem = z.object({
  /** `E1`, `E2` ...: what an explanation cites, within one version. */
  id: z.string(),
  plane: z.enum(EVIDENCE_PLANES),
  at: z.iso.datetime(),
  /** What is known, in one sentence. */
  sentence: z.string(),
  /** Where a person looks it up; `id` is a test's, a change's, or a name. */
  link: z.object({ page: z.enum(EVIDENCE_PAGES), id: z.string() }),
});
export type EvidenceItem = z.infer<typeof EvidenceItem>;

export const HypothesisPart = z.object({
  /** Id of the evidence. */
  evidence: z.string(),
  effect: z.enum(['for', 'against']),
  /** 0 to 1: see the rule of the score in docs/causes.md. */
  weight: z.number().min(0).max(1),
  /** Why it counts, in words. */
  why: z.string(),
});
export type HypothesisPart = z.infer<typeof HypothesisPart>;

export const Hypothesis = z.object({
  kind: z.enum(HYPOTHESIS_KINDS),
  /** What is to blame: a change's id, a service, a site, a target. */
  subject: z.string(),
  sentence: z.string(),
  /** 0 to 1. */
  score: z.number().min(0).max(1),
  parts: z.array(HypothesisPart),
});
export type Hypothesis = z.infer<typeof Hypothesis>;

export const RootCause = z.object({
  incident_id: z.uuid(),
  /** Counts per incident, from 1. */
  version: z.int(),
  made_at: z.iso.datetime(),
  /** What was looked at. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Two sentences: what most probably happened, and what speaks for it. */
  explanation: z.string(),
  confidence: z.number().min(0).max(1),
  level: z.enum(CONFIDENCE_LEVELS),
  /** How the confidence was computed, in words and numbers. */
  computed: z.string(),
  /** Most probable first; the last one is `unknown` where nothing else is likely. */
  hypotheses: z.array(Hypothesis),
  evidence: z.array(EvidenceItem),
  not_measured: z.array(z.object({ plane: z.enum(EVIDENCE_PLANES), sentence: z.string() })),
});
export type RootCause = z.infer<typeof RootCause>;
