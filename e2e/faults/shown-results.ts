import { setTimeout as sleep } from 'node:timers/promises';
import { get, type Installation } from './server-process.ts';

export interface Shown {
  result_id: string;
  agent_id: string;
  started_at: string;
  canary_type: string;
}

/** Whose results, and with whose eyes. */
export interface Reader {
  installation: Installation;
  token: string;
  agentId: string;
}

/** All results of a device as a client of the API reads them, page by page, newest first. */
export async function readShown({ installation, token, agentId }: Reader): Promise<Shown[]> {
  const shown: Shown[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await get(installation, `/v1/endpoints/${agentId}/results?limit=1000${more}`, token);
    if (answer.status !== 200) throw new Error(`results of ${agentId}: ${answer.status} ${answer.body}`);
    const page = JSON.parse(answer.body) as { items: Shown[]; next_cursor: string | null };
    shown.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return shown;
}

/** Reads until so many different results are shown, or the time is over; storing is a moment behind acknowledging. */
export async function waitForShown(reader: Reader, atLeast: number, limitMs = 30_000): Promise<Shown[]> {
  for (const end = Date.now() + limitMs; ; await sleep(300)) {
    const shown = await readShown(reader);
    if (new Set(shown.map((one) => one.result_id)).size >= atLeast || Date.now() > end) return shown;
  }
}
