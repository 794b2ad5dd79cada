import type { Confirmation, Finding, ObjectState, Outcome, Provider } from '#kernel';
import type { Outbound } from '#outbound';

export interface ProviderDeps {
  outbound: Pick<Outbound, 'send' | 'connect'>;
  now: () => number;
}

/** What is known of a provider before it is spoken to. */
export type About = Pick<Provider, 'kind' | 'name' | 'fields' | 'testWarning' | 'capabilities' | 'pace' | 'parse'>;

const NOT_ASKED: Confirmation = { is: 'confirmed', reference: null, said: 'This provider cannot be asked.' };
const NOT_FOUND: Finding = { is: 'unknown', afterMs: null, said: 'This provider cannot be searched.' };

/** What a provider that cannot be asked about its objects answers; its capabilities say so, and nobody asks. */
export const unasked: Pick<Provider, 'find' | 'confirm' | 'look'> = {
  find: async (): Promise<Finding> => NOT_FOUND,
  confirm: async (): Promise<Confirmation> => NOT_ASKED,
  look: async (): Promise<ObjectState> => 'unknown',
};

/** For a verb that a provider has no way to do; its capabilities say so. */
export const nothingToDo = async (): Promise<Outcome> => ({ is: 'sent', reference: null, said: '' });

export const newObjectOnly = async (): Promise<Outcome> => ({ is: 'final', said: 'This provider opens a new one.' });

/** A look that failed leaves nothing in doubt: nothing was written. */
export const again = (said: string): { is: 'retry'; afterMs: null; said: string } => ({ is: 'retry', afterMs: null, said });
