import { AgentError } from '../agent-error.ts';
import { loadConfig } from '../config.ts';
import type { ServiceClient } from '../ipc/client.ts';

/** Asks the agent that runs on this state directory. Throws AgentError where none does or it refuses. */
export async function askAgent<T>(ask: (client: ServiceClient) => Promise<T>): Promise<T> {
  const { stateDir } = loadConfig();
  // Only these commands need the schemas.
  const { connectToService } = await import('../ipc/client.ts');
  const { IpcFault } = await import('../ipc/ipc-fault.ts');
  const client = await connectToService(stateDir, 'cli');
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
