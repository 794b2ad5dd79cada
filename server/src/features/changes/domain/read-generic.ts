import {
  MAX_AHEAD_MS,
  MAX_ATTRIBUTE,
  MAX_ATTRIBUTE_NAME,
  MAX_ATTRIBUTES,
  MAX_EVENTS,
  MAX_SUMMARY,
  MAX_TARGET,
  MAX_TITLE,
  MAX_URL,
  MAX_WORD,
} from '@svc/contracts/changes/bounds';
import type { DeliveredChange } from '@svc/contracts/changes/delivery';
import { CHANGE_KINDS, type ChangeKind, type DropReason } from '@svc/contracts/changes/kinds';
import { parseAnyPrefix } from '#kernel';
import { type Fields, isFields, linkOf, textOf, wordOf } from './fields.ts';
import type { Reading, ReadTools } from './reading.ts';
import { parseTime } from './times.ts';

/** A map as anybody writes one: what is no text is written as JSON. */
function attributesOf(value: unknown): Record<string, string> {
  if (!isFields(value)) return {};
  const kept = new Map<string, string>();
  for (const [name, one] of Object.entries(value)) {
    if (kept.size >= MAX_ATTRIBUTES) break;
    const key = wordOf(name, MAX_ATTRIBUTE_NAME);
    const text = typeof one === 'string' ? one : (JSON.stringify(one) ?? '');
    if (key !== null && key !== '__proto__') kept.set(key, textOf(text, MAX_ATTRIBUTE) ?? '');
  }
  return Object.fromEntries(kept);
}

const kindOf = (value: unknown): ChangeKind => CHANGE_KINDS.find((kind) => kind === value) ?? 'other';

/** A prefix as it is written, or why it is none; an empty one is none. */
function prefixOf(value: unknown): { prefix: string | null } | 'bad_prefix' {
  if (value === undefined || value === null || value === '') return { prefix: null };
  const text = wordOf(value, 64);
  return text !== null && parseAnyPrefix(text) ? { prefix: text } : 'bad_prefix';
}

/** Names an entry by its own id, or by all that tells it from another one. */
function keyOf(fields: Fields, tools: ReadTools): string | 'bad_id' {
  const { id } = fields;
  if (id === undefined || id === null || id === '') {
    const { source, kind, title, summary, target, prefix, actor, ref, occurred_at: at } = fields;
    return `hash:${tools.hash(JSON.stringify([source, kind, title, summary, target, prefix, actor, ref, at]))}`;
  }
  const text = wordOf(id, MAX_WORD);
  if (text === null || String(id).length > MAX_WORD) return 'bad_id';
  return `id:${text}`;
}

function readEntry(entry: unknown, tools: ReadTools): DeliveredChange | DropReason {
  if (!isFields(entry)) return 'not_an_object';
  const title = wordOf(entry.title, MAX_TITLE);
  if (title === null) return 'no_title';
  if (entry.occurred_at === undefined || entry.occurred_at === null || entry.occurred_at === '') return 'no_occurred_at';
  const at = parseTime(entry.occurred_at);
  if (at === undefined) return 'bad_occurred_at';
  if (at > tools.nowMs + MAX_AHEAD_MS) return 'in_the_future';
  const network = prefixOf(entry.prefix);
  if (network === 'bad_prefix') return network;
  const key = keyOf(entry, tools);
  if (key === 'bad_id') return key;
  const attributes = attributesOf(entry.attributes);
  return {
    ...{ key, title, kind: kindOf(entry.kind), source: wordOf(entry.source, MAX_WORD) ?? 'generic' },
    summary: textOf(entry.summary, MAX_SUMMARY) ?? '',
    target: wordOf(entry.target, MAX_TARGET),
    prefix: network.prefix,
    actor: wordOf(entry.actor, MAX_WORD),
    ref: wordOf(entry.ref, MAX_WORD),
    url: linkOf(entry.url, MAX_URL),
    attributes,
    // What the table of its webhook looks at, where it says so.
    repository: wordOf(attributes.repository, MAX_WORD),
    environment: wordOf(attributes.environment, MAX_WORD),
    paths: [],
    occurred_at: new Date(at).toISOString(),
    ...{ state: null, state_at: null },
  };
}

/** One object, an array of them, or `{events: [...]}`. What is malformed is dropped and counted, the rest kept. */
export function readGeneric(body: unknown, tools: ReadTools): Reading {
  const entries = Array.isArray(body) ? body : isFields(body) && Array.isArray(body.events) ? body.events : [body];
  if (!isFields(body) && !Array.isArray(body)) return { event: '', outcome: 'not_known_shape', changes: [], dropped: [] };
  if (entries.length === 0) return { event: '', outcome: 'nothing_in_it', changes: [], dropped: [] };
  const counts = new Map<DropReason, number>();
  const drop = (reason: DropReason, count = 1): void => void counts.set(reason, (counts.get(reason) ?? 0) + count);
  const changes = new Map<string, DeliveredChange>();
  let taken = 0;
  for (const entry of entries.slice(0, MAX_EVENTS)) {
    const read = readEntry(entry, tools);
    if (typeof read === 'string') drop(read);
    else {
      taken += 1;
      changes.set(read.key, read);
    }
  }
  if (entries.length > MAX_EVENTS) drop('too_many', entries.length - MAX_EVENTS);
  const dropped = [...counts].map(([reason, count]) => ({ reason, count }));
  const outcome = taken === 0 ? 'all_malformed' : dropped.length > 0 ? 'partly_stored' : 'stored';
  return { event: '', outcome, changes: [...changes.values()], dropped, taken };
}
