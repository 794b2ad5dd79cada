import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentStream, connectAgent, encodeBatch, makeResult, openAgentStream, PUBLISH } from './agents.ts';
import { openBrowser, signIn } from './browser.ts';
import type { Probe, Probed } from './fair-share.ts';
import { type Ground, ownAddress } from './ground.ts';
import { exportHttp } from './otlp.ts';
import { marked, request } from './payloads.ts';
import { newPerson, type Person } from './people.ts';
import { newMark } from './victim.ts';

const GIVE_UP_MS = 10_000;
const READERS = 8;

/** What a quiet tenant does all day, each as a probe. Its readers are several people, none near the bound of calls a minute. */
export async function openQuietTenant(ground: Ground): Promise<Record<string, Probed>> {
  const { victim, doors } = ground;
  const readers: string[] = [];
  for (let i = 0; i < READERS; i += 1) {
    const minted = await ground.api('/v1/tokens', {
      token: victim.tokens.admin,
      json: { name: `reader ${i}`, roles: ['viewer'] },
    });
    readers.push((JSON.parse(minted.body) as { secret: string }).secret);
  }
  const people: Person[] = [];
  for (let i = 0; i < 2; i += 1) people.push(await newPerson(ground, victim, ['viewer']));
  let turns = 0;
  const reader = (): string => {
    turns += 1;
    return readers[turns % READERS] ?? '';
  };
  const timed = async (path: string): Promise<number> => {
    const { status, ms } = await ground.api(path, { token: reader(), timeoutMs: GIVE_UP_MS });
    return status === 200 ? ms : Number.POSITIVE_INFINITY;
  };
  return {
    'ingest to readable': { times: 1, probe: () => readable(ground, reader) },
    'log search': { times: 4, probe: () => timed('/v1/otlp/logs?text=nothing-like-it') },
    'fleet page': { times: 4, probe: () => timed('/v1/endpoints?limit=50') },
    "agent's stream": { times: 4, probe: openPublisher(ground) },
    'sign-in': {
      times: 1,
      async probe(turn) {
        const began = performance.now();
        const person = people[turn % people.length] as Person;
        const { path } = await signIn(openBrowser(doors.https, ownAddress()), person);
        return path === '/' ? performance.now() - began : Number.POSITIVE_INFINITY;
      },
    },
  };
}

/** Results on one stream, as a device sends them: opening one for each would be held to the rate of streams. */
function openPublisher({ doors, victim }: Ground): Probe {
  let stream: AgentStream | undefined;
  let sequence = 0;
  return async () => {
    if (!stream || stream.ended() !== undefined) {
      stream = openAgentStream(connectAgent(doors.agents, victim.device), PUBLISH);
      sequence = 0;
    }
    const before = stream.messages.length;
    sequence += 1;
    const began = performance.now();
    stream.write(encodeBatch(sequence, [makeResult()]));
    while (stream.messages.length === before && performance.now() - began < GIVE_UP_MS && stream.ended() === undefined)
      await sleep(2);
    return stream.messages.length > before ? performance.now() - began : Number.POSITIVE_INFINITY;
  };
}

async function readable({ doors, victim, api }: Ground, reader: () => string): Promise<number> {
  const mark = newMark();
  const began = performance.now();
  const body = request([marked('logs', mark)], [['service.name', 'quiet']]);
  const { status } = await exportHttp(doors.otlpHttp, { signal: 'logs', body, token: victim.otlpToken, timeoutMs: GIVE_UP_MS });
  if (status !== 200) return Number.POSITIVE_INFINITY;
  while (performance.now() - began < GIVE_UP_MS) {
    const answer = await api(`/v1/otlp/logs?text=${encodeURIComponent(`"${mark}"`)}`, { token: reader(), timeoutMs: GIVE_UP_MS });
    if (answer.status === 200 && answer.body.includes(mark)) return performance.now() - began;
    await sleep(20);
  }
  return Number.POSITIVE_INFINITY;
}
