import type { NamedActor } from '@svc/contracts/tests/keeping';

/** Who did something, where it stands alone. */
export const actorWords = ({ id, name }: NamedActor): string => name ?? (id === 'cli' ? 'the command line' : 'former member');
