import { AgentError, messageOf } from '../agent-error.ts';
import type { Credentials } from './identity.ts';
import type { NoteSent, SentDocument } from './sent-document.ts';

/** What was sent in an attempt to get an identity, and what came of it: what left is told also where it was in vain. */
export interface Attempt {
  sent: SentDocument[];
  credentials?: Credentials;
  fault?: { code: AgentError['code']; message: string };
}

export async function withSent(work: (note: NoteSent) => Promise<Credentials>): Promise<Attempt> {
  const sent: SentDocument[] = [];
  try {
    return { credentials: await work((document) => void sent.push(document)), sent };
  } catch (error) {
    const code = error instanceof AgentError ? error.code : 'internal';
    return { fault: { code, message: messageOf(error) }, sent };
  }
}

/** Hears of each request and, where it was not in vain, of the identity that the answer brought. */
export type NoteSettled = (sent: SentDocument, identity: Credentials['identity'] | undefined) => void;

/** The identity of an attempt, once what it sent was noted. Throws AgentError where it was in vain. */
export function settle({ sent, credentials, fault }: Attempt, note: NoteSettled): Credentials {
  for (const document of sent) note(document, credentials?.identity);
  if (credentials) return credentials;
  throw new AgentError(fault?.code ?? 'internal', fault?.message ?? 'unknown');
}
