import type { Role } from '@svc/contracts/permissions';
import { isSameAddress } from './password-rules.ts';

/** Who the identity provider says has just signed in. */
export interface SignedInPerson {
  email: string;
  emailVerified: boolean;
  /** Groups the provider names; empty where it names none. */
  groups: readonly string[];
}

export interface AdmissionRules {
  /** E-mail of the person who becomes admin at the first sign-in. */
  bootstrapAdmin: string | undefined;
  groupRoles: ReadonlyMap<string, readonly Role[]>;
}

/** The roles that the person's groups give, as the operator mapped them; none without a mapping. */
export function groupRolesOf(person: SignedInPerson, rules: AdmissionRules): Role[] {
  return [...new Set(person.groups.flatMap((group) => rules.groupRoles.get(group) ?? []))];
}

/** The roles a person gets at the first sign-in: none (default deny), but for the verified address that the operator named. */
export function firstRolesOf(person: SignedInPerson, rules: AdmissionRules): Role[] {
  const named = rules.bootstrapAdmin !== undefined && isSameAddress(person.email, rules.bootstrapAdmin);
  return named && person.emailVerified ? ['admin'] : [];
}

/** Whether a person from outside may use a link that names an address: only the provider's word that it is theirs counts. */
export const isMeantFor = (person: SignedInPerson, address: string): boolean =>
  address === '' || (person.emailVerified && isSameAddress(person.email, address));

/** The tenant a session begins in: the one asked for when it is among them, else a real one before a simulated one. */
export function chooseTenant<T extends { id: string; is_demo: boolean }>(
  tenants: readonly T[],
  wanted: string | undefined,
): T | undefined {
  return tenants.find(({ id }) => id === wanted) ?? tenants.find((tenant) => !tenant.is_demo) ?? tenants[0];
}
