import { z } from 'zod';
import { WrittenTest } from '../tests/written-test.ts';

/** What is proposed and made by nobody but a person (docs/tests/proposals.md). */

export const PROPOSAL_AUTHORS = ['heuristic', 'model'] as const;
export type ProposalAuthor = (typeof PROPOSAL_AUTHORS)[number];

/** Where a field comes from: the words of the request, a conclusion, or what every test has unless it says otherwise. */
export const FIELD_ORIGINS = ['asked', 'inferred', 'default'] as const;
export type FieldOrigin = (typeof FIELD_ORIGINS)[number];

/** Characters of a request. */
export const PROMPT_LENGTH = 4000;

const OneProposal = z.object({
  /** As `POST /v1/tests` takes it. */
  test: WrittenTest,
  rationale: z.string(),
  author: z.enum(PROPOSAL_AUTHORS),
  /** By dotted path, such as `params.assertions.total_ms`. */
  fields: z.record(z.string(), z.enum(FIELD_ORIGINS)),
  /** Why, by the path of each field that is inferred. */
  reasons: z.record(z.string(), z.string()),
  /** Names of the secrets that the test refers to and that are still to be made. */
  secrets: z.array(z.string()),
});
export type OneProposal = z.infer<typeof OneProposal>;

/** `more`: further tests that the same request asks for. */
export const Proposal = OneProposal.extend({ more: z.array(OneProposal) });
export type Proposal = z.infer<typeof Proposal>;

export const AuthorInput = z.object({
  prompt: z.string().max(PROMPT_LENGTH),
  /** Absent: the model where one is configured, else the heuristic. */
  author: z.enum(PROPOSAL_AUTHORS).optional(),
});
export type AuthorInput = z.infer<typeof AuthorInput>;

/** What a problem of code `cannot_author` has beside its sentence. */
export const CannotAuthor = z.object({
  /** Each a sentence that says what is missing, or why no test does it. */
  missing: z.array(z.string()),
  /** Requests that would do, near to what was typed. */
  examples: z.array(z.string()),
  /** What could be meant, where that is not clear: choosing one is the answer to `question`. */
  choices: z.array(Proposal),
  question: z.string().nullable(),
});
export type CannotAuthor = z.infer<typeof CannotAuthor>;

/** What of the tenant's own data speaks for a host; the first of these that has it is told first. */
export const DISCOVERY_SOURCES = ['incident', 'names', 'certificate', 'users', 'sessions', 'map'] as const;
export type DiscoverySource = (typeof DISCOVERY_SOURCES)[number];

/** At most so many in one answer. */
export const DISCOVERED_AT_ONCE = 20;

export const Discovered = OneProposal.extend({
  host: z.string(),
  /** Why it is proposed, in a sentence. */
  reason: z.string(),
  evidence: z.array(z.object({ source: z.enum(DISCOVERY_SOURCES), sentence: z.string(), count: z.number() })),
  /** What a test of it would tell. */
  value: z.string(),
});
export type Discovered = z.infer<typeof Discovered>;

export const DiscoveredList = z.object({
  /** The most valuable first, one a host. */
  items: z.array(Discovered),
  next_cursor: z.null(),
  /** Why there is none, in a sentence; null where there is one. */
  nothing: z.string().nullable(),
  /** Hosts that somebody dismissed and that would be here otherwise. */
  dismissed: z.array(z.string()),
});
export type DiscoveredList = z.infer<typeof DiscoveredList>;

/** A host as the list has it. */
export const OfHost = z.object({ host: z.string().min(1).max(253) });
