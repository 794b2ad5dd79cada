import { DEFAULT_TIMEOUT_SECONDS } from '@svc/contracts/tests/test-types';
import type { Kind } from './choose-type.ts';
import type { CutSecret } from './cut-secrets.ts';
import type { Details } from './details.ts';
import { type Draft, DraftWriter } from './draft.ts';
import { DAY, SECOND } from './words/quantities.ts';
import { writeParams } from './write-params.ts';

/** A test out of its kind and what was said of it. */

interface Writing {
  kind: Kind;
  details: Details;
  said: ReadonlySet<string>;
  secrets: readonly CutSecret[];
  /** Names of the tenant's tests, in lower case; those that are given here are added. */
  taken: Set<string>;
}

const hostOf = (target: string): string => (URL.parse(target)?.hostname || target.replace(/:\d+$/, '')).replace(/^\[|\]$/g, '');

const LABELS: Readonly<Record<string, string>> = {
  icmp: 'ping',
  dns: 'DNS',
  browser: 'in a browser',
  tcp: '',
  udp: 'UDP',
  http: '',
  https: '',
};

function suggestName({ type, target, record }: Kind, taken: Set<string>): string {
  const url = /^https?:/.test(target) ? URL.parse(target) : null;
  const path = url?.pathname.split('/').filter(Boolean).at(-1) ?? '';
  const label = record ?? LABELS[type] ?? '';
  const base = [url ? hostOf(target) : target, path, label].filter(Boolean).join(' ').slice(0, 190);
  let name = base;
  for (let more = 2; taken.has(name.toLowerCase()); more += 1) name = `${base} ${more}`;
  taken.add(name.toLowerCase());
  return name;
}

function writeInterval(draft: DraftWriter, everyMs: number | undefined): void {
  if (everyMs === undefined) return;
  const seconds = Math.round(everyMs / SECOND);
  if (everyMs < SECOND) draft.faults.push('A test runs once a second at most.');
  else if (everyMs > DAY) draft.faults.push('A test runs once a day at least.');
  else draft.set('interval_seconds', seconds, Math.abs(seconds * SECOND - everyMs) > 1 ? 'Rounded to whole seconds.' : undefined);
}

function writeTimeout(draft: DraftWriter, { timeoutMs, bounds }: Details, type: Kind['type']): void {
  if (timeoutMs !== undefined) {
    const seconds = Math.ceil(timeoutMs / SECOND);
    if (seconds > 300) draft.faults.push('A run is given up after 300 seconds at most.');
    else draft.set('timeout_seconds', seconds, seconds * SECOND === timeoutMs ? undefined : 'Rounded up to whole seconds.');
    return;
  }
  const longest = Math.max(0, bounds.total ?? 0, bounds.first_byte ?? 0);
  const needed = Math.ceil(longest / SECOND);
  if (needed > DEFAULT_TIMEOUT_SECONDS[type] && needed <= 300)
    draft.set('timeout_seconds', needed, 'A run that is given up before its bound would fail too early.');
}

/** References to what was cut out of the request, by the host that they are for. */
function nameSecrets(details: Details, secrets: readonly CutSecret[], host: string): Details {
  const nameOf = ({ kind }: CutSecret, index: number): string =>
    `${host.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 48)}-${kind}${index > 0 ? `-${index + 1}` : ''}`;
  const sent = details.sent.map((header) => ({ ...header }));
  for (const [index, secret] of secrets.entries()) {
    const reference = `\${secret:${nameOf(secret, index)}}`;
    const mark = `\${secret:${secret.mark}}`;
    const header = sent.find(({ value }) => value.includes(mark));
    if (header) header.value = header.value.replace(mark, reference);
    else if (secret.kind === 'basic') sent.push({ name: 'Authorization', value: `Basic ${reference}` });
    else if (secret.kind === 'key') sent.push({ name: 'X-API-Key', value: reference });
    else sent.push({ name: 'Authorization', value: `Bearer ${reference}` });
  }
  return { ...details, sent };
}

const seconds = (count: number): string =>
  count % 3600 === 0 ? `${count / 3600} h` : count % 60 === 0 ? `${count / 60} min` : `${count} s`;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  ...{
    http: 'An HTTP request to',
    https: 'An HTTPS request to',
    dns: 'A DNS question for',
    icmp: 'Pings to',
    tcp: 'A TCP connection to',
  },
  ...{ udp: 'A UDP packet to', browser: 'A browser opens' },
};

function explain(kind: Kind, draft: DraftWriter, { everyMs, contains }: Details): string {
  const asked = Object.keys(draft.fields).filter((path) => path.startsWith('params.') && draft.fields[path] === 'asked');
  const checks = asked.map((path) => path.split('.').at(-1)?.replaceAll('_', ' ') ?? '');
  const every = everyMs === undefined ? '' : ` every ${seconds(Math.round(everyMs / SECOND))}`;
  // Whoever asks for NTP must not take a packet that nobody answered for a clock that is right.
  const silent = kind.type === 'udp' && contains.length === 0;
  const more = silent ? ' Silence passes: say on the page of the test what to send and to expect.' : '';
  return `${TYPE_WORDS[kind.type]} ${kind.target}${every}${checks.length > 0 ? `; asked for: ${checks.join(', ')}` : ''}.${more}`;
}

export function writeTest({ kind, details: given, said, secrets, taken }: Writing): { draft: Draft } | { faults: string[] } {
  const details = nameSecrets(given, secrets, hostOf(kind.target));
  const draft = new DraftWriter(kind.type, kind.target);
  draft.set('name', details.name ?? suggestName(kind, taken), details.name === undefined ? 'Named after its target.' : undefined);
  draft.mark('type', kind.why);
  draft.mark('target', kind.whyTarget);
  writeInterval(draft, details.everyMs);
  writeTimeout(draft, details, kind.type);
  draft.set('runners', details.runners);
  draft.set('fail_when', details.failWhen);
  draft.set('failing_after', details.failingAfter);
  writeParams({ draft, details, kind, said });
  if (draft.faults.length > 0) return { faults: draft.faults };
  return { draft: draft.finish(explain(kind, draft, details)) };
}
