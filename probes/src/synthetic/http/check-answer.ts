import type { HttpParams } from '@svc/contracts/tests/params/http';
import { checkBounds, checkCertificateDays, checkMatch, note, shown } from '../checks/assert.ts';
import { checkJsonPath, jsonStart, readAt } from '../checks/json-path.ts';
import type { Run } from '../run.ts';
import { cut } from '../run-failure.ts';
import { CUT, isCutHeader } from '../safety/redact.ts';
import type { Answer } from './exchange.ts';
import { excerptOf, textOf } from './read-body.ts';

type Assertions = HttpParams['assertions'];
type JsonAssertion = Assertions['json'][number];
type HeaderAssertion = Assertions['headers'][number];

const EXCERPT = 4096;
const HEAD = 8192;
/** So much is kept of each body, so that a secret at the end of the excerpt is seen whole. */
const KEPT_ALWAYS = 64 * 1024;

/** Characters of a value that is written again as JSON: what an expression looks at. */
const MAX_JSON = 262_144;

/** Bytes of the body that the assertions need. */
export function bytesNeeded({ body_contains, body_not_contains, body_matches, json }: Assertions): number {
  const isAsked = body_contains.length > 0 || body_not_contains.length > 0 || body_matches !== undefined || json.length > 0;
  return isAsked ? Number.MAX_SAFE_INTEGER : KEPT_ALWAYS;
}

export function isWanted(status: number, wanted: readonly string[]): boolean {
  return wanted.some((range) => {
    const [from = '', to] = range.split('-');
    const least = Number(from.replace('xx', '00'));
    const most = to === undefined ? (from.endsWith('xx') ? least + 99 : least) : Number(to);
    return status >= least && status <= most;
  });
}

/** Head and beginning of the body as evidence; gives the text of the body as assertions see it, without any secret. */
export function tellAnswer(run: Run, answer: Answer): string {
  const { redact, redactCut } = run.redactor;
  const lines = [`HTTP/${answer.version} ${answer.status} ${answer.reason}`];
  for (let i = 0; i < answer.fields.length; i += 2) {
    const name = answer.fields[i] ?? '';
    lines.push(`${name}: ${isCutHeader(name) ? CUT : (answer.fields[i + 1] ?? '')}`);
  }
  run.evidence.response_head = cut(redact(lines.join('\n')), HEAD);
  const text = (answer.body.isWhole ? redact : redactCut)(textOf(answer.body.start, answer.headers['content-type']));
  if (text !== '') run.evidence.body_excerpt = cut(excerptOf(text, answer.body.bytes), EXCERPT);
  return text;
}

function checkHeader(run: Run, answer: Answer, { name, equals, contains, matches }: HeaderAssertion): void {
  const values = answer.fields.flatMap((field, i) =>
    i % 2 === 0 && field.toLowerCase() === name.toLowerCase() ? [run.redactor.redact(answer.fields[i + 1] ?? '')] : [],
  );
  const value = values.length === 0 ? undefined : values.join(', ');
  const told = value === undefined ? 'no such header' : isCutHeader(name) ? CUT : shown(value);
  const add = (wanted: string, passed: boolean): void =>
    note(run, { rule: 'header', wanted: `header ${name} ${wanted}`, got: told, passed });
  if (equals !== undefined) add(`is ${shown(equals)}`, value === equals);
  if (contains !== undefined) add(`contains ${shown(contains)}`, value?.includes(contains) ?? false);
  if (matches !== undefined) {
    if (value === undefined || isCutHeader(name)) add(`matches ${shown(matches)}`, false);
    else checkMatch(run, 'header', { pattern: matches, text: value, what: `header ${name}` });
  }
  if (equals === undefined && contains === undefined && matches === undefined) add('is there', value !== undefined);
}

type Parsed = { readonly value: unknown } | { readonly fault: string };

function parseJson(text: string, isWhole: boolean): Parsed {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch {
    return { fault: isWhole ? 'the body is no JSON' : 'the body is too long to be read as JSON' };
  }
}

interface Place {
  readonly found: boolean;
  readonly value?: unknown;
  /** As JSON or, of a text, itself, as far as an expression looks; without secrets, which JSON may have written in yet another form. */
  readonly text: string;
  readonly got: string;
}

function writeJson(run: Run, value: unknown): string {
  const { redact, redactCut } = run.redactor;
  const text = jsonStart(value, MAX_JSON);
  return (text.length < MAX_JSON ? redact : redactCut)(text);
}

/** What stands at each path, read and written once however many assertions are about it. */
function createPlaces(run: Run, parsed: Parsed): (path: string) => Place {
  const known = new Map<string, Place>();
  const read = (path: string): Place => {
    const fault = 'fault' in parsed ? parsed.fault : checkJsonPath(path);
    const at = fault === undefined && 'value' in parsed ? readAt(parsed.value, path) : ({ found: false } as const);
    if (!at.found) return { found: false, text: '', got: fault ?? 'nothing there' };
    const value = typeof at.value === 'string' ? run.redactor.redact(at.value) : at.value;
    const text = typeof value === 'string' ? value : writeJson(run, value);
    return { found: true, value, text, got: cut(typeof value === 'string' ? JSON.stringify(cut(value, 250)) : text, 200) };
  };
  return (path) => {
    const place = known.get(path) ?? read(path);
    known.set(path, place);
    return place;
  };
}

function checkJson(run: Run, place: Place, { path, equals, matches }: JsonAssertion): void {
  const { got } = place;
  const add = (wanted: string, passed: boolean): void => note(run, { rule: 'json', wanted: `${path} ${wanted}`, got, passed });
  if (equals !== undefined) add(`is ${JSON.stringify(equals)}`, place.found && place.value === equals);
  if (matches !== undefined) {
    if (place.found) checkMatch(run, 'json', { pattern: matches, text: place.text, what: path });
    else add(`matches ${shown(matches)}`, false);
  }
  if (equals === undefined && matches === undefined) add('is there', place.found);
}

/** Each assertion of a test, in the order in which a person reads them. */
export function checkAnswer(run: Run, answer: Answer, assertions: Assertions): void {
  const text = tellAnswer(run, answer);
  const { status, body_contains, body_not_contains, body_matches, json, headers } = assertions;
  note(run, { rule: 'status', wanted: status.join(' or '), got: String(answer.status), passed: isWanted(answer.status, status) });
  const partly = answer.body.isWhole ? '' : ' within its first MiB';
  const has = (part: string): string => (text.includes(part) ? 'it is there' : `not there${partly}: ${shown(text, 120)}`);
  for (const part of body_contains)
    note(run, { rule: 'body_contains', wanted: `body contains ${shown(part)}`, got: has(part), passed: text.includes(part) });
  for (const part of body_not_contains)
    note(run, {
      rule: 'body_not_contains',
      wanted: `body without ${shown(part)}`,
      got: text.includes(part) ? 'it is there' : `not there${partly}`,
      passed: !text.includes(part),
    });
  if (body_matches !== undefined) checkMatch(run, 'body_matches', { pattern: body_matches, text, what: 'body' });
  if (json.length > 0) {
    const placeAt = createPlaces(run, parseJson(text, answer.body.isWhole));
    for (const one of json) checkJson(run, placeAt(one.path), one);
  }
  for (const one of headers) checkHeader(run, answer, one);
  checkBounds(run, assertions);
  checkCertificateDays(run, assertions.certificate_days);
}
