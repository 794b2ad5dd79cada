import type { ServiceState } from '@svc/contracts/agent/ipc';
import { connectToService, type ServiceClient } from '../ipc/client.ts';

export interface WatchingFace extends ServiceClient {
  /** Every state so far, the first one included. */
  states: ServiceState[];
}

/** A face that is connected to the agent of a state directory and watches it. Tries until the agent listens. */
export async function watchAgent(stateDir: string, kind: 'window' | 'cli' = 'window'): Promise<WatchingFace> {
  for (let attempt = 0; ; attempt++) {
    try {
      const client = await connectToService(stateDir, kind);
      const states: ServiceState[] = [];
      client.on('state', (state) => states.push(state));
      states.unshift(await client.call('watch', {}));
      return Object.assign(client, { states });
    } catch (error) {
      if (attempt >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
