import type { Rule } from '@svc/contracts/notify/rule';
import { joinWords, plural } from '../words/format.ts';

type Deciding = Pick<Rule, 'enabled' | 'connectors'>;
interface Named {
  id: string;
  name: string;
}

/** Connectors that no rule in force names: while any is on, they are told of nothing. */
export function leftOutBy<Connector extends Named>(rules: readonly Deciding[], connectors: readonly Connector[]): Connector[] {
  const on = rules.filter(({ enabled }) => enabled);
  if (on.length === 0 || on.some((rule) => rule.connectors.length === 0)) return [];
  const named = new Set(on.flatMap((rule) => rule.connectors));
  return connectors.filter(({ id }) => !named.has(id));
}

/**
 * Who is told as the rules are now. Without a rule that is on everybody is, which nobody should find out by a page at night; without a
 * connector nobody is, whatever they say. `connectors`: undefined where that is not known.
 */
export function describeRules(rules: readonly Deciding[], connectors?: readonly Named[]): string {
  if (connectors?.length === 0) return 'Nobody is told of incidents: there is no connector yet.';
  const on = rules.filter(({ enabled }) => enabled).length;
  if (rules.length === 0) return 'No rule: every connector is told of every incident, at once.';
  if (on === 0)
    return rules.length === 1
      ? 'The one rule is off: every connector is told of every incident, at once.'
      : `${rules.length === 2 ? 'Both' : `All ${rules.length}`} rules are off: every connector is told of every incident, at once.`;
  const all = on === rules.length ? plural(on, 'rule') : `${on} of ${plural(rules.length, 'rule')}`;
  return `${all} ${on === 1 ? 'decides' : 'decide'} who is told.`;
}

/** What follows for those that no rule names; empty where there is none. */
export function describeLeftOut(leftOut: readonly Named[]): string {
  if (leftOut.length === 0) return '';
  return `No rule that is on names ${joinWords(leftOut.map(({ name }) => name))}: ${leftOut.length === 1 ? 'it is' : 'they are'} told of nothing.`;
}
