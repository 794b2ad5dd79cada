import type { IncidentState } from '@svc/contracts/incidents/incident';
import type { Plane, Severity } from '@svc/contracts/incidents/signal';
import type { FormField } from '@svc/contracts/notify/form';
import type { InboundProvider, ProviderKind } from '@svc/contracts/notify/kinds';

/**
 * Between the slice that decides who is told what and when (outbox, order, repeats) and the one that knows how each provider is spoken to.
 * A provider never repeats, never waits, keeps nothing, and reaches the outside by the product's one client alone.
 */

/** What it takes to speak to a provider for one connector, as `parse` gave it. */
export interface Connection {
  /** Base address without the settings that stood in it; empty where the provider has one of its own or none. */
  readonly url: string;
  readonly credential: string;
  /** All others of the form by name, with their fallbacks filled in; some are secret. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whose it is, of one that is spoken to: what calls share out is shared out by it. Not kept. */
  readonly tenant?: string | undefined;
}

/** An incident as it is told. Titles and targets come from strangers: the provider's file escapes and shortens. */
export interface ToldIncident {
  id: string;
  number: number;
  status: IncidentState;
  severity: Severity;
  title: string;
  target: string | null;
  prefix: string | null;
  site: string | null;
  planes: readonly Plane[];
  startedAt: Date;
  resolvedAt: Date | null;
  signalCount: number;
  /** Its page in the console; never cut. */
  url: string;
}

export interface Message {
  /** `svc-<incident_id>`: dedup key, alias, correlation id, label. A test's is `svc-test-<uuid>`. */
  key: string;
  incident: ToldIncident;
  /** Says that it is a test, wherever a person reads it. */
  isTest: boolean;
  /** What happened, in plain words: of a follow-up, of an acknowledgement ("acknowledged by Ada"), of a resolve. */
  words: string;
  at: Date;
  /** 1 for the first object of the incident at this connector; more where a re-opened incident needed a new one. */
  generation: number;
  /** Of a new object for a re-opened incident: that before it, to name it. */
  former: Reference | null;
  /** Sent before perhaps, and nobody can tell: says so where a person reads it (chats without look-up). */
  isPossibleRepeat: boolean;
  /** Others that share this message, where `pace.gathers`, and the reference that comes of it. */
  together: readonly ToldIncident[];
}

/** The object at the provider. Kept as JSON; holds no secret. */
export interface Reference {
  /** What calls and deliveries find it by: dedup key, alias, sys_id, Jira's issue id, `channel/ts`. */
  id: string;
  /** What people call it: INC0010023, OPS-412, #network; null: nothing. */
  label: string | null;
  /** Its page at the provider; null: not known. */
  url: string | null;
}

/** `said`: what the provider answered, in its words, at most 500 characters, without credentials. */
export type Outcome =
  /** Done: the answer held what only a success holds. */
  | { is: 'sent'; reference: Reference | null; said: string }
  /** Taken, and done later or never. `request`: by which `confirm` can ask; null: nobody can. */
  | { is: 'accepted'; reference: Reference | null; request: string | null; said: string }
  /** Not taken, or in part where `isBegun`; again later, `afterMs` by the provider's own word (Retry-After), null without one. */
  | { is: 'retry'; afterMs: number | null; said: string; isBegun?: boolean }
  /** Perhaps taken: a time-out or a cut after sending. */
  | { is: 'ambiguous'; said: string }
  /** Never will be taken as it is. */
  | { is: 'final'; said: string }
  /** The object is not there any more: deleted, or not ours to see. */
  | { is: 'gone'; said: string }
  /** The connector as a whole cannot work until somebody changes it. */
  | { is: 'broken_credential'; said: string };

/** `absent` only where a create that was taken could not be missed any more; `unknown`: ask again after `afterMs`. */
export type Finding =
  | { is: 'found'; reference: Reference }
  | { is: 'absent' }
  | { is: 'unknown'; afterMs: number | null; said: string }
  | { is: 'broken_credential'; said: string };

/** Of an `accepted` request. */
export type Confirmation =
  | { is: 'confirmed'; reference: Reference | null; said: string }
  | { is: 'pending'; afterMs: number | null }
  /** It was taken and then failed: the message is sent again or is dead. */
  | { is: 'failed'; isFinal: boolean; said: string };

export type ObjectState = 'open' | 'acknowledged' | 'resolved' | 'gone' | 'unknown';

export interface Capabilities {
  /** The provider itself refuses a second object of one key: repeating an open that may have been taken is harmless. */
  hasKey: boolean;
  /** `find` answers. Without it and without a key an ambiguous open is repeated once, marked as a possible repeat. */
  canBeFound: boolean;
  canUpdate: boolean;
  canAcknowledge: boolean;
  /** `resolve` does something (at chats: posts). */
  canResolve: boolean;
  /** `same`: a re-opened incident uses the same object (`reopen`); `new`: `open` once more, with the next generation. */
  reopens: 'same' | 'new';
  /** `confirm` answers. */
  confirms: boolean;
  /** `look` answers: open links are looked up every 10 minutes. */
  canLook: boolean;
}

/** What a provider takes from one connector. */
export interface Pace {
  perMinute: number;
  /** At most at once. */
  concurrency: number;
  /** How many may go without a pause. */
  burst: number;
  /** Beyond its pace several opens share one message, at most so many; 1: never. */
  gathers: number;
}

export interface Provider {
  kind: ProviderKind;
  /** PagerDuty, Opsgenie, Slack, ...: as people know it. */
  name: string;
  /** That a test may page somebody; empty: it cannot. */
  testWarning: string;
  fields: readonly FormField[];
  /** Depend on the connection at some: a Slack bot token can be found again, its webhook cannot. */
  capabilities(to: Connection): Capabilities;
  pace(to: Connection): Pace;
  /** Checks and completes what was filled in. AppError `validation` with `faults` by field name. Calls nothing. */
  parse(given: Connection): Connection;
  /** Whether the credential is taken, without writing anything; `sent` (with null) where it is or where nothing can be asked without writing. */
  check(to: Connection): Promise<Outcome>;
  open(to: Connection, message: Message): Promise<Outcome>;
  /** The next four get the current reference, null where the provider needs none (the key is enough). */
  update(to: Connection, message: Message, reference: Reference | null): Promise<Outcome>;
  acknowledge(to: Connection, message: Message, reference: Reference | null): Promise<Outcome>;
  resolve(to: Connection, message: Message, reference: Reference | null): Promise<Outcome>;
  /** `final` or `gone`: a new object is opened instead, with `former`. */
  reopen(to: Connection, message: Message, reference: Reference | null): Promise<Outcome>;
  /** The object of `message.key` that is not `message.former`. `sentAtMs`: when an open may have been taken last, for an index that lags. */
  find(to: Connection, message: Message, sentAtMs: number): Promise<Finding>;
  confirm(to: Connection, request: string): Promise<Confirmation>;
  look(to: Connection, reference: Reference): Promise<ObjectState>;
}

/** All of them, by kind. */
export type Providers = Readonly<Record<ProviderKind, Provider>>;

/** A delivery of a provider, before anything of it is believed. */
export interface SignedDelivery {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
  nowMs: number;
}

export type NativeVerdict = 'taken' | 'absent' | 'malformed' | 'wrong';

/** What a delivery says of one object. */
export interface ObjectNews {
  /** Any of them names it: our key, or the reference's id. */
  names: readonly ({ key: string } | { id: string })[];
  became: 'acknowledged' | 'resolved' | 'reopened' | 'deleted';
  /** The provider's own clock or counter of that object, greater for later ones; null: none. */
  order: number | null;
  /** When it happened by the provider's clock, in milliseconds since 1970; null: not said. */
  atMs: number | null;
  /** Who did it there, as people read it; null: not said. */
  by: string | null;
}

export interface NativeReading {
  /** The provider's own id in the body, the same on each attempt; null: none. A header's is signed by nobody. */
  delivery: string | null;
  /** The provider's word for what happened. */
  event: string;
  /** `nothing`: we do not use it. `not_understood`: a shape or a state that we should know and do not. */
  outcome: 'news' | 'nothing' | 'not_understood';
  news: readonly ObjectNews[];
  /** Of what was not understood: in a few words, shown on the page. */
  reason: string;
  /** The news name nothing of ours: `askNames` is asked with this id (PagerDuty's incident id). */
  needsNames: string | null;
}

/** The provider's native shape, beside the portable contract. Pure but for `askNames`. */
export interface NativeReader {
  provider: InboundProvider;
  /** By the provider's own header under the webhook's secret; `absent` where that header is not there. X-Svc-* is checked elsewhere. */
  verify(secret: string, delivery: SignedDelivery): NativeVerdict;
  /** Names a delivery, the same on each attempt. */
  idHeader?: string;
  /** Never throws: strangers wrote it. */
  read(body: unknown): NativeReading;
  /** Our keys behind an id of theirs, asked with the connector's credentials (PagerDuty with a REST key); undefined: not possible. */
  askNames?(to: Connection, id: string): Promise<readonly string[] | undefined>;
}

export type NativeReaders = Readonly<Record<InboundProvider, NativeReader>>;
