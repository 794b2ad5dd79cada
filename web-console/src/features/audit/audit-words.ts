const PAST: Readonly<Record<string, string>> = {
  begin: 'began',
  set: 'changed',
  mint: 'minted',
  invite: 'invited',
  end: 'ended',
  enrol: 'enrolled',
  enroll: 'enrolled',
  set_roles: 'changed the roles of',
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

/** Details as "uses 5, site set": keys in words, values as they are. */
export const describeDetail = (detail: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(detail)
    .map(([key, value]) => {
      const words = key.replaceAll('_', ' ');
      if (typeof value === 'boolean') return value ? words : `not ${words}`;
      return `${words} ${value}`;
    })
    .join(', ');
