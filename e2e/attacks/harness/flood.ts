import { Agent } from 'node:https';

export interface Flood {
  /** Requests under way at once, each on a connection that is kept. */
  lanes: number;
  ms: number;
}

export const keepingAgent = (lanes: number): Agent => new Agent({ keepAlive: true, maxSockets: lanes });

/** Sends again and again in lanes for a time; gives how often. Bounded by its time, whatever the server answers. */
export async function flood({ lanes, ms }: Flood, send: (agent: Agent, turn: number) => Promise<unknown>): Promise<number> {
  const agent = keepingAgent(lanes);
  const until = Date.now() + ms;
  let turns = 0;
  const lane = async () => {
    while (Date.now() < until) {
      turns += 1;
      await send(agent, turns);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  agent.destroy();
  return turns;
}
