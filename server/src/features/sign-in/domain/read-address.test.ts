import { expect, test } from 'vitest';
import { readAddress } from './read-address.ts';

test.each([
  [{ email: 'a@x.test', email_verified: true }, {}, 'a@x.test', true],
  [{ email: 'a@x.test' }, { email: 'a@x.test', email_verified: 'true' }, 'a@x.test', true],
  [{}, { email: 'a@x.test', email_verified: true }, 'a@x.test', true],
  [{ email: 'a@x.test' }, { email: 'b@x.test', email_verified: true }, 'a@x.test', false],
  [{ email: 'a@x.test' }, { email_verified: true }, 'a@x.test', false],
  [{ email_verified: true }, { email: 'b@x.test' }, 'b@x.test', false],
  [{ email: 'a@x.test', email_verified: false }, { email: 'a@x.test', email_verified: true }, 'a@x.test', false],
  [{ email: ['a@x.test'], email_verified: true }, {}, '', false],
  [{ email: 'a@x.test', email_verified: 1 }, {}, 'a@x.test', false],
])('%o and %o name %s, verified: %s', (...[idToken, userInfo, email, emailVerified]) => {
  expect(readAddress(idToken, userInfo)).toEqual({ email, emailVerified });
});
