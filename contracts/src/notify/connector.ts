import { z } from 'zod';
import { FormField } from './form.ts';
import { PROVIDERS } from './kinds.ts';

/** Who can be told of incidents: `notify.connectors.*` and `/v1/notify/connectors`. What is secret goes in and never comes out. */

export const MAX_CONNECTORS = 50;

export const CONNECTOR_STATES = ['active', 'paused', 'broken'] as const;
export type ConnectorState = (typeof CONNECTOR_STATES)[number];

const Name = z.string().trim().min(1).max(200);

/** Values by the names of the provider's form; `url` and `credential` are two of them. */
const Values = z
  .record(z.string().max(64), z.string().max(4000))
  .refine((values) => Object.keys(values).length <= 40, 'at most 40');

export const OfConnector = z.object({ id: z.string().min(1).max(64) });
export const CreateConnector = z.object({ provider: z.enum(PROVIDERS), name: Name, values: Values });
/** Asks whether the credential is taken; writes nothing, there or here. */
export const CheckConnector = z.object({ provider: z.enum(PROVIDERS), values: Values });
export const RenameConnector = OfConnector.extend({ name: Name });
/** Other settings or another credential; a secret that is left out stays as it is, and is to be given again with another address. */
export const ChangeConnector = OfConnector.extend({ values: Values });

/** A provider as its form shows it. */
export const ProviderForm = z.object({
  provider: z.enum(PROVIDERS),
  name: z.string(),
  fields: z.array(FormField),
  /** That a test may page somebody; empty: it cannot. */
  test_warning: z.string(),
});
export type ProviderForm = z.infer<typeof ProviderForm>;
export const ProviderForms = z.object({ items: z.array(ProviderForm) });

export const Connector = z.object({
  id: z.string(),
  provider: z.enum(PROVIDERS),
  /** Of the provider, as people know it. */
  provider_name: z.string(),
  name: z.string(),
  /** `configuration`: one of SVC_NOTIFY_CONNECTORS, which is changed there. */
  source: z.enum(['console', 'configuration']),
  /** It stands in the configuration no more: nothing can be sent. */
  is_missing: z.boolean(),
  state: z.enum(CONNECTOR_STATES),
  /** Of one that is broken: the provider's words. */
  state_reason: z.string(),
  state_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  state_at: z.iso.datetime().nullable(),
  /** Settings that may be shown. */
  settings: z.record(z.string(), z.string()),
  /** Names of the secrets that it has. */
  secrets: z.array(z.string()),
  created_at: z.iso.datetime(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  rotated_at: z.iso.datetime().nullable(),
  last_success_at: z.iso.datetime().nullable(),
  /** In the provider's words. */
  last_answer: z.string(),
  last_answer_at: z.iso.datetime().nullable(),
  /** It does not answer since then; null: it does. */
  failing_since: z.iso.datetime().nullable(),
  next_try_at: z.iso.datetime().nullable(),
  abilities: z.object({
    /** Never two of one incident, whatever happens in between. */
    never_repeats: z.boolean(),
    acknowledges: z.boolean(),
    updates: z.boolean(),
    /** What is taken is known to have arrived. */
    confirms: z.boolean(),
    comes_back: z.boolean(),
  }),
  /** Messages of the last 24 hours. */
  sent_24h: z.int(),
  waiting: z.int(),
  dead: z.int(),
  /** From being written to being taken, of the last 24 hours; null: none. */
  p95_ms: z.number().nullable(),
});
export type Connector = z.infer<typeof Connector>;
export const ConnectorList = z.object({ items: z.array(Connector) });

/** One step of a check or a test, in the provider's words. */
export const TrialStep = z.object({
  step: z.enum(['check', 'open', 'resolve']),
  outcome: z.enum(['sent', 'accepted', 'retry', 'ambiguous', 'final', 'gone', 'broken_credential', 'not_needed']),
  said: z.string(),
});
export type TrialStep = z.infer<typeof TrialStep>;
export const Trial = z.object({ ok: z.boolean(), steps: z.array(TrialStep) });
export type Trial = z.infer<typeof Trial>;
