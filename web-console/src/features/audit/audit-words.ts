import { formatMoment } from '../../ui/format.ts';

const PAST: Readonly<Record<string, string>> = {
  begin: 'began',
  set: 'changed',
  mint: 'minted',
  invite: 'invited',
  end: 'ended',
  enrol: 'enrolled',
  enroll: 'enrolled',
  rollback: 'rolled back',
  set_roles: 'given other roles',
  sign_in: 'signed in',
  sign_out: 'signed out',
};

/** A verb's past form where the rule does not give it. */
function past(verb: string): string {
  const known = PAST[verb];
  if (known) return known;
  const words = verb.split('_');
  const [first = '', ...rest] = words;
  const tense = first.endsWith('e') ? `${first}d` : `${first}ed`;
  return [tense, ...rest].join(' ');
}

/** `member.invite` as "member invited"; the machine word stays in the tooltip. */
export function describeAction(action: string): string {
  const [noun = '', verb] = action.split('.');
  return verb ? `${noun.replaceAll('_', ' ')} ${past(verb)}` : noun.replaceAll('_', ' ');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** An id as a person can tell it from its neighbours: short ones whole, long ones by their end. */
export const shortId = (id: string): string => (id.length > 20 ? `…${id.slice(-6)}` : id);

function describeValue(value: string | number): string {
  if (typeof value === 'number') return String(value);
  if (INSTANT.test(value)) return formatMoment(value, Date.now());
  return UUID.test(value) ? shortId(value) : value;
}

/** Details as "uses 5, expires at 22 Nov 16:54": keys in words, times in the viewer's zone. */
export const describeDetail = (detail: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(detail)
    // Enrolled "again" is worth a word; for the first time is what one expects.
    .filter(([key, value]) => !(key === 'again' && value === false))
    .map(([key, value]) => {
      const words = key.replaceAll('_', ' ');
      if (typeof value === 'boolean') return value ? words : `not ${words}`;
      return `${words} ${describeValue(value)}`;
    })
    .join(', ');
