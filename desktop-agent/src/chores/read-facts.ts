import { messageOf } from '../agent-error.ts';
import { bareFacts, type HostFacts } from '../identity/bare-facts.ts';
import type { RunChore } from './run-chore.ts';

/** The device's facts; where the chore that reads them is lost, what is known without it, and why is told. Never rejects. */
export async function readFacts(runChore: RunChore, log: (message: string) => void): Promise<HostFacts> {
  try {
    return await runChore('hostFacts', {});
  } catch (error) {
    log(`Model and name of the operating system are unavailable: ${messageOf(error)}`);
    return bareFacts();
  }
}
