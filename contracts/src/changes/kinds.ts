/** Words of changes and their webhooks (docs/contract/changes.md). */

export const CHANGE_KINDS = ['deploy', 'config', 'route', 'iac', 'commit', 'release', 'other'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Who signs deliveries: a program of one's own, GitHub's webhooks, GitLab's. */
export const CHANGE_PROVIDERS = ['generic', 'forge_a', 'forge_b'] as const;
export type ChangeProvider = (typeof CHANGE_PROVIDERS)[number];

/** Of a change that takes its time, such as a deployment; null for what happens at once. */
export const CHANGE_STATES = ['waiting', 'running', 'succeeded', 'failed', 'cancelled', 'replaced'] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

/** Why a delivery got no 202. The first word that holds. */
export const REFUSAL_REASONS = [
  'wrong_provider',
  'no_signature',
  'malformed_signature',
  'wrong_signature',
  'stale_timestamp',
  'no_token',
  'wrong_token',
  'too_large',
  'bus_unavailable',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** What became of a delivery that was verified. */
export const DELIVERY_OUTCOMES = [
  'stored',
  'partly_stored',
  'ping',
  'not_wanted',
  'no_commit',
  'nothing_in_it',
  'not_json',
  'not_known_shape',
  'all_malformed',
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Why an entry of a delivery was dropped. */
export const DROP_REASONS = [
  'not_an_object',
  'no_title',
  'no_occurred_at',
  'bad_occurred_at',
  'in_the_future',
  'bad_prefix',
  'bad_id',
  'too_many',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** What a person says of a change and an incident. */
export const CHANGE_VERDICTS = ['cause', 'ruled_out'] as const;
export type ChangeVerdict = (typeof CHANGE_VERDICTS)[number];
