import { classifyAddress } from './address-class.ts';
import type { ResolverAnswer, ResolverLie, ResolverMeasurement } from './resolver.ts';

const isPrivate = (address: string): boolean => classifyAddress(address) === 'private';
/** Answers for this machine itself, or that a name is blocked, as filters word it. */
const isPlaceholder = (address: string): boolean => address === '0.0.0.0' || address.startsWith('127.');

const givesPublic = ({ addresses }: ResolverAnswer): boolean =>
  addresses.some((address) => !isPrivate(address) && !isPlaceholder(address));

function lieAbout(answer: ResolverAnswer): ResolverLie | null {
  if (answer.code === 'NXDOMAIN') return 'nxdomain';
  return answer.addresses.length > 0 && !givesPublic(answer) ? 'private' : null;
}

/**
 * Names what the servers of one round disagree about. A name that only one side of a split DNS knows, or that nobody gives a public
 * address, is no lie. Where a company resolves its own public names to private addresses inside, one of its servers shows as
 * `private`: evidence only beside a session that fails. Pure; the order stays.
 */
export function compareResolvers(measured: readonly ResolverMeasurement[]): ResolverMeasurement[] {
  const known = new Set(
    measured
      .filter((one) => one.lies !== 'wildcard')
      .flatMap((one) => one.answers)
      .filter(givesPublic)
      .map((answer) => answer.name),
  );
  return measured.map((one) => {
    const found = one.answers.filter((answer) => known.has(answer.name)).map(lieAbout);
    const lies = one.lies ?? found.find((lie) => lie === 'nxdomain') ?? found.find((lie) => lie !== null) ?? null;
    return { ...one, lies };
  });
}

/**
 * The one private address that a server gives for every name, as networks do before one has signed in; undefined where it does not.
 * One name alone may well be a service of this network.
 */
export function capturedBy({ answers, invalidAddresses }: ResolverMeasurement): string | undefined {
  const found = answers.map(({ addresses }) => addresses);
  if (invalidAddresses !== null) found.push(invalidAddresses);
  const [first] = found[0] ?? [];
  if (first === undefined || found.length < 2 || !isPrivate(first) || isPlaceholder(first)) return undefined;
  return found.every((addresses) => addresses.length === 1 && addresses[0] === first) ? first : undefined;
}
