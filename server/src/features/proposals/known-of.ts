import type { Ctx } from '#kernel';
import type { KnownNames, ProposalsDeps } from './context.ts';
import { phrasesOf } from './domain/phrases-of.ts';

/** The names that a request may use; devices, of which there are many, only those that it names, and for those alone who may see devices. */
export async function readKnown(
  deps: Pick<ProposalsDeps, 'knownNames' | 'devicesNamed'>,
  { principal: { tenant, permissions } }: Ctx,
  prompt: string,
): Promise<KnownNames> {
  const [known, devices] = await Promise.all([
    deps.knownNames(tenant),
    permissions.has('agent.read') ? deps.devicesNamed(tenant, phrasesOf(prompt)) : [],
  ]);
  return devices.length === 0 ? known : { ...known, places: [...known.places, ...devices] };
}
