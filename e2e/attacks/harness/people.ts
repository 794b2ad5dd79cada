import type { Role } from '@svc/contracts/permissions';
import { type Browser, openBrowser, openLink } from './browser.ts';
import { type Ground, ownAddress, type Side } from './ground.ts';

export interface Person {
  email: string;
  password: string;
  browser: Browser;
}

let people = 0;

/** Invites a new person into a tenant, who signs in once: an attack on an account takes one of its own. */
export async function newPerson(ground: Ground, side: Side, roles: readonly Role[]): Promise<Person> {
  people += 1;
  const email = `person-${people}-${Date.now().toString(36)}@${side.tenant}.test`;
  const person = { email, password: `the long password of ${email}`, browser: openBrowser(ground.doors.https, ownAddress()) };
  await join(ground, side, { person, roles });
  return person;
}

/** Takes a person, with the password that the account has, into a tenant. */
export async function join(
  ground: Ground,
  side: Side,
  { person, roles }: { person: Person; roles: readonly Role[] },
): Promise<void> {
  const made = await ground.api('/v1/members/invites', { token: side.tokens.admin, json: { roles } });
  if (made.status !== 201) throw new Error(`an invitation was answered ${made.status}: ${made.body}`);
  const { url } = JSON.parse(made.body) as { url: string };
  const answer = await openLink(person.browser, url, person);
  if (answer.path !== '/') throw new Error(`${person.email} did not get in: ${answer.status} ${answer.path}`);
}

export interface Me {
  account: { id: string; email: string };
  tenant: { id: string };
  tenants: { id: string }[];
}

/** Who a cookie or token is; undefined for nobody. */
export async function whoIs(ground: Ground, request: { cookie?: string; token?: string }): Promise<Me | undefined> {
  const { cookie, token } = request;
  const answer = await ground.api('/v1/me', {
    ...(cookie === undefined ? {} : { headers: { cookie } }),
    ...(token === undefined ? {} : { token }),
  });
  return answer.status === 200 ? (JSON.parse(answer.body) as Me) : undefined;
}
