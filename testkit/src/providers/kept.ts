import type { ProviderServer } from './server.ts';

export type KeptState = 'open' | 'acknowledged' | 'resolved';

/** What a person of the provider sees: a page, an alert, a post, a ticket. */
export interface KeptObject {
  /** The provider's own. */
  id: string;
  /** What people call it: INC0010001, OPS-1, the id where there is nothing shorter. */
  name: string;
  /** `svc-<incident_id>`, wherever this provider lets it be put; empty where it has no place for one. */
  key: string;
  state: KeptState;
  title: string;
  /** The whole text of its opening. */
  text: string;
  /** What came later, the oldest first. */
  lines: string[];
  atMs: number;
}

export type PersonAct = 'acknowledge' | 'resolve' | 'reopen' | 'delete';

export interface SimulatedProvider extends ProviderServer {
  objects(): readonly KeptObject[];
  /** What a person does there; the provider tells of it as it does of everything. */
  act(id: string, act: PersonAct): Promise<void>;
}
