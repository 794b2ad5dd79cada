import { expect, it } from 'vitest';
import { EVERY_ROLE, keepsNothing, type Role } from './slice.ts';
import { startSlices } from './start-slices.ts';

it.each<[Role[], string[]]>([
  [['api'], ['everywhere']],
  [['consume'], ['everywhere', 'consumer']],
  [
    ['ingest', 'evaluate'],
    ['everywhere', 'leased work', 'rounds'],
  ],
  [[...EVERY_ROLE], ['everywhere', 'leased work', 'consumer', 'rounds']],
])('starts in a process of %s: %s', async (roles, expected) => {
  const started: string[] = [];
  const slice = (name: string, own: readonly Role[]) => ({
    name,
    roles: own,
    data: keepsNothing('a test'),
    start: () => void started.push(name),
  });
  const mixed = {
    name: 'everywhere',
    roles: EVERY_ROLE,
    data: keepsNothing('a test'),
    start: (hasRole: (role: Role) => boolean) => void started.push('everywhere', ...(hasRole('evaluate') ? ['leased work'] : [])),
  };
  const slices = [mixed, slice('consumer', ['consume']), slice('rounds', ['evaluate'])];
  await startSlices(slices, (role) => roles.includes(role));
  expect(started).toEqual(expected);
});
