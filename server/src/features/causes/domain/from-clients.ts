import {
  type Draft,
  type DraftPart,
  factsOf,
  grownOf,
  hasUsual,
  millisecondWords,
  percentWords,
  type Situation,
  speaksAgainst,
  speaksFor,
} from './situation.ts';
import { failingTests } from './symptoms.ts';

/** What hurts in people's browsers alone: tests of the same target pass, and its services answer as before. */
export function draftClients(situation: Situation): Draft[] {
  const hurt = factsOf(situation, 'users').filter(({ isDegraded }) => isDegraded);
  const [first] = hurt;
  if (!first) return [];
  const parts: DraftPart[] = hurt.slice(0, 3).map((users) => {
    const { errorRatio, usualErrorRatio, p75LcpMs } = users;
    const isErrors = errorRatio >= 0.05 && errorRatio >= 2 * usualErrorRatio;
    const words = isErrors
      ? `${percentWords(errorRatio)} of page views have errors, ${percentWords(usualErrorRatio)} had before`
      : `pages take ${p75LcpMs === null ? 'long' : millisecondWords(p75LcpMs)} for a quarter of the visitors`;
    return speaksFor(users, isErrors ? 0.5 : 0.35, words);
  });
  const passing = factsOf(situation, 'test.outcome').find(({ failed, passed }) => failed === 0 && passed > 1);
  if (passing) parts.push(speaksFor(passing, 0.35, 'tests of the same target pass'));
  const asked = factsOf(situation, 'service').find(({ isAsked, calls }) => isAsked && calls >= 10);
  if (asked && hasUsual(asked) && !grownOf(asked).isBad) parts.push(speaksFor(asked, 0.25, 'the service answers as before'));
  if (asked && grownOf(asked).isBad) parts.push(speaksAgainst(asked, 0.5, 'the service itself is worse than usual'));
  const [failing] = failingTests(situation);
  if (failing) parts.push(speaksAgainst(failing, 0.75, 'tests fail as well, which run no code of a page'));
  const [share] = factsOf(situation, 'devices.share');
  if (share) parts.push(speaksAgainst(share, 0.5, 'devices are slow on the way'));
  return [{ kind: 'client', subject: first.host, clause: `something in the pages of ${first.app} themselves`, parts }];
}
