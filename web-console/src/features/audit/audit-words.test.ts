import { expect, it } from 'vitest';
import { describeAction, describeDetail, shortId } from './audit-words.ts';

it('reads actions as sentences', () => {
  expect(
    ['member.invite', 'policy.set', 'agent.enrol', 'session.begin', 'enrol_token.revoke', 'member.set_roles'].map(describeAction),
  ).toEqual([
    'member invited',
    'policy changed',
    'agent enrolled',
    'session began',
    'enrol token revoked',
    'member given other roles',
  ]);
});

it('keeps details short: words for flags, the end of long ids', () => {
  expect(describeDetail({ uses: 5, expired: false, link: '01a1ff00-938a-7a66-988c-cdc6702b3e41' })).toBe(
    'uses 5, not expired, link …2b3e41',
  );
  expect([{ again: false }, { again: true }].map(describeDetail)).toEqual(['', 'again']);
  expect(shortId('default')).toBe('default');
});
