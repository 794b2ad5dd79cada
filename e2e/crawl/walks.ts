import type { Person } from '../stack/demo.ts';

/** All that a walk to one page may vary in; how it is entered, and left, as whom, where, on what screen, and what goes wrong. */
export const CHOICES = {
  wayIn: ['address', 'link', 'palette'],
  wayOut: ['Back', 'forward', 'breadcrumb', 'navigation', 'reload'],
  zone: ['Asia/Kolkata', 'America/St_Johns'],
  person: ['admin', 'it_admin', 'viewer', 'auditor'] satisfies readonly Person[],
  trouble: ['none', 'unavailable', 'chunk gone', 'session expired'],
  width: [1440, 390],
} as const;

export type Choice = { [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };
export interface Walk extends Choice {
  /** A route's path as the router has it, such as /fleet/$id. */
  route: string;
}

const NAMES = Object.keys(CHOICES) as (keyof Choice)[];

const pairsOf = (choice: Choice): string[] =>
  NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => `${a}=${choice[a]} ${b}=${choice[b]}`));

export function allChoices(): Choice[] {
  let choices: Partial<Choice>[] = [{}];
  for (const name of NAMES) choices = choices.flatMap((choice) => CHOICES[name].map((value) => ({ ...choice, [name]: value })));
  return choices as Choice[];
}

/** Few choices that hold every pair of values, by taking each time the one with the most pairs that are still missing. */
export function pairwiseChoices(): Choice[] {
  const all = allChoices().map((choice) => ({ choice, pairs: pairsOf(choice) }));
  const missing = new Set(all.flatMap(({ pairs }) => pairs));
  const chosen: Choice[] = [];
  while (missing.size > 0) {
    const gain = ({ pairs }: { pairs: string[] }): number => pairs.filter((pair) => missing.has(pair)).length;
    const best = all.reduce((most, one) => (gain(one) > gain(most) ? one : most));
    for (const pair of best.pairs) missing.delete(pair);
    chosen.push(best.choice);
  }
  return chosen;
}

/** Each route at least once and each pair of choices; walks out by a breadcrumb are those of the pages that have one. */
export function fewWalks(routes: readonly string[]): Walk[] {
  const nested = routes.filter((route) => route.includes('$'));
  const choices = pairwiseChoices();
  const walks: Walk[] = [];
  const next = { all: 0, nested: 0 };
  for (let i = 0; i < choices.length || next.all < routes.length; i += 1) {
    const choice = choices[i % choices.length] as Choice;
    const isNested = choice.wayOut === 'breadcrumb' && nested.length > 0;
    const from = isNested ? nested : routes;
    const at = isNested ? next.nested++ : next.all++;
    walks.push({ ...choice, route: from[at % from.length] as string });
  }
  return walks;
}

/** Every combination, in an order that is mixed and always the same, so that whatever time allows is spread over all of them. */
export function allWalks(routes: readonly string[]): Walk[] {
  const walks = routes.flatMap((route) => allChoices().map((choice) => ({ ...choice, route })));
  let state = 1;
  for (let i = walks.length - 1; i > 0; i -= 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const at = Math.floor((state / 2 ** 32) * (i + 1));
    [walks[i], walks[at]] = [walks[at] as Walk, walks[i] as Walk];
  }
  return walks;
}

/** Every so many of the walks, so that all parts are spread alike and none is walked twice. */
export const partOf = (walks: readonly Walk[], { part, parts }: { part: number; parts: number }): Walk[] =>
  walks.filter((_, i) => i % parts === part);

export const nameOf = ({ route, ...choice }: Walk): string =>
  `${route} by ${choice.wayIn}, left by ${choice.wayOut}, ${choice.person}, ${choice.zone}, ${choice.width} px, trouble: ${choice.trouble}`;
