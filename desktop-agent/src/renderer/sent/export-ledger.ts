import type { IpcInput, LedgerEntry, LedgerResult } from '@svc/contracts/agent/ipc';
import type { AgentBridge, CallResult } from '../bridge.ts';

const MAX_LETTERS = 60_000_000;

/** Thrown where the service stopped answering half way: half an export is none. */
export class ExportError extends Error {}

/** Canonical JSON as it stands in the ledger goes in byte for byte; what is not JSON any more, as a string. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** `before` stands there where it differs: most results leave as they were measured. */
const resultJson = ({ before, sent, withheld }: LedgerResult): string =>
  `{${before === sent ? '' : `"before":${asJson(before)},`}"sent":${asJson(sent)},"withheld":${JSON.stringify(withheld)}}`;

/** One entry, its keys sorted like those of the results in it. */
const entryJson = (entry: LedgerEntry, results: readonly LedgerResult[]): string =>
  `{"at":${JSON.stringify(new Date(entry.atMs).toISOString())},"bytes":${entry.bytes},"direction":"${entry.direction}","id":${entry.id},"intact":${entry.intact},"kind":"${entry.kind}","receipt":"${entry.receipt}",` +
  `"results":[${results.map(resultJson).join(',')}],"server":${JSON.stringify(entry.server)},"sha256":"${entry.sha256}"}`;

export interface ExportOptions {
  search: string;
  onProgress: (done: number, total: number) => void;
  isCancelled: () => boolean;
  /** Of one document; default a little under what main takes in one piece. */
  maxLetters?: number;
}

const documentOf = (entries: readonly string[]): string => `{"entries":[${entries.join(',')}]}`;

/** The payloads of one batch; a large one comes in pieces. */
async function readResults(bridge: AgentBridge, id: number): Promise<LedgerResult[]> {
  const results: LedgerResult[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const part: CallResult<'ledgerEntry'> = await bridge.call('ledgerEntry', { id, from });
    if (!part.ok) throw new ExportError(part.code);
    results.push(...part.output.results);
    from = part.output.next;
  }
  return results;
}

/**
 * Every entry that matches the search as canonical JSON, newest first: no space, keys sorted, each `sent` the very text that
 * left. One document, more only where one would be larger than main takes. Null where it was cancelled.
 * @throws ExportError
 */
export async function exportLedger(bridge: AgentBridge, options: ExportOptions): Promise<string[] | null> {
  const { search, onProgress, isCancelled, maxLetters = MAX_LETTERS } = options;
  const documents: string[] = [];
  let parts: string[] = [];
  let letters = 0;
  let done = 0;
  let before: number | null = null;
  do {
    const from: IpcInput<'ledger'> = { ...(search ? { search } : {}), ...(before === null ? {} : { before }) };
    const page: CallResult<'ledger'> = await bridge.call('ledger', { limit: 200, ...from });
    if (!page.ok) throw new ExportError(page.code);
    for (const entry of page.output.entries) {
      if (isCancelled()) return null;
      const text = entryJson(entry, await readResults(bridge, entry.id));
      if (letters + text.length > maxLetters && parts.length > 0) {
        documents.push(documentOf(parts));
        parts = [];
        letters = 0;
      }
      parts.push(text);
      letters += text.length + 1;
      done += 1;
      onProgress(done, Math.max(page.output.total, done));
    }
    before = page.output.next;
  } while (before !== null);
  return [...documents, documentOf(parts)];
}
