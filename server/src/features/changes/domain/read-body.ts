import type { ChangeProvider } from '@svc/contracts/changes/kinds';
import { readForgeA } from './read-forge-a.ts';
import { readForgeB } from './read-forge-b.ts';
import { readGeneric } from './read-generic.ts';
import { nothing, type Reading, type ReadTools } from './reading.ts';

export interface VerifiedBody {
  provider: ChangeProvider;
  body: Uint8Array;
  contentType: string;
  /** The sender's word for it; '' for none. */
  event: string;
}

/** The JSON of a body, also where a form carries it, as GitHub sends it on request; undefined where there is none. */
function parseBody(body: Uint8Array, contentType: string): { json: unknown } | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType);
  const json = isForm ? new URLSearchParams(text).get('payload') : text;
  if (json === null) return undefined;
  try {
    return { json: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** What a verified delivery tells of. Never throws: whatever was signed is taken, and says what it came to. */
export function readBody({ provider, body, contentType, event }: VerifiedBody, tools: ReadTools): Reading {
  const parsed = parseBody(body, contentType);
  if (!parsed) return nothing(event, 'not_json');
  if (provider === 'generic') return { ...readGeneric(parsed.json, tools), event };
  return provider === 'forge_a' ? readForgeA(parsed.json, event, tools) : readForgeB(parsed.json, event, tools);
}
