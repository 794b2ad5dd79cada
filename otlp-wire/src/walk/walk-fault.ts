import { OtlpFault } from './fault.ts';
import { FIELD_NAMES } from './generated/field-names.ts';

/** Nested messages, the request itself being the first; as in otlp-wire/assembly/walk/state.ts. */
export const MAX_DEPTH = 64;
const MAX_RESOURCES = 65_536;

type Sentence = (field: string | undefined, resource: number) => { kind: OtlpFault['kind']; message: string };

const malformed =
  (what: string): Sentence =>
  (field) => ({
    kind: 'malformed',
    message: `The request is not OTLP: ${what.replace('FIELD', field ?? '')}.`,
  });
const ambiguous =
  (what: string): Sentence =>
  (_field, resource) => ({
    kind: 'ambiguous_tenant',
    message: `The resource at index ${resource} ${what}.`,
  });

/** In the order of the numbers in otlp-wire/assembly/walk/state.ts. */
const SENTENCES: readonly Sentence[] = [
  malformed('a field is cut off or reaches over the end of its message'),
  malformed('a tag or length is over 32 bits'),
  malformed('a varint is over 64 bits'),
  malformed('a field has the number 0'),
  malformed('a field has a wire type that OTLP does not use'),
  malformed('FIELD is not UTF-8'),
  malformed('FIELD has the wrong wire type'),
  malformed('FIELD has a length that it cannot have'),
  malformed('FIELD is given in two kinds'),
  () => ({ kind: 'too_deep', message: `A value is nested over ${MAX_DEPTH} messages deep.` }),
  () => ({ kind: 'too_large', message: `A request has over ${MAX_RESOURCES} resources.` }),
  ambiguous('gives its Resource twice'),
  ambiguous('gives svc.tenant.id twice'),
  (_field, resource) => ({
    kind: 'wrong_tenant',
    message: `The resource at index ${resource} names a tenant in svc.tenant.id that is not the token's.`,
  }),
];

/** Why the walker refuses a request of which it had begun so many resources. */
export function faultOf(reason: number, field: number, resources: number): OtlpFault {
  const { kind, message } = (SENTENCES[reason] as Sentence)(FIELD_NAMES[field], resources - 1);
  const hasIndex = resources > 0 && kind !== 'too_large';
  return new OtlpFault(kind, message, hasIndex ? resources - 1 : undefined);
}
