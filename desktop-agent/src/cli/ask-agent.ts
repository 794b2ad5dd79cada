import { AgentError } from '../agent-error.ts';
import { loadConfig } from '../config.ts';
import type { ServiceClient } from '../ipc/client.ts';

/** Asks the agent that runs on this state directory, or the machine's where the person who asks has none of their own. Throws AgentError where none does or it refuses. */
export async function askAgent<T>(ask: (client: ServiceClient) => Promise<T>): Promise<T> {
  const { stateDir, seatSocket } = loadConfig();
  // Only these commands need the schemas.
  const { connectToSeat, connectToService, isSeatThere } = await import('../ipc/client.ts');
  const { IpcFault } = await import('../ipc/ipc-fault.ts');
  const client = await connectToService(stateDir, 'cli').catch((error) => {
    if (!isSeatThere(seatSocket)) throw error;
    return connectToSeat(seatSocket, 'cli');
  });
  try {
    return await ask(client);
  } catch (cause) {
    if (cause instanceof IpcFault)
      throw new AgentError(cause.code === 'refused' ? 'forbidden' : 'internal', cause.message, { cause });
    throw cause;
  } finally {
    client.close();
  }
}
