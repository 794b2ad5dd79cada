import type { LedgerEntry, LedgerResult } from '@svc/contracts/agent-ipc';
import type { AgentBridge, CallResult } from '../bridge.ts';

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

const resultJson = ({ before, sent, withheld }: LedgerResult): string =>
  `{"before":${asJson(before)},"sent":${asJson(sent)},"withheld":${JSON.stringify(withheld)}}`;

/** One entry, its keys sorted like those of the results in it. */
const entryJson = (entry: LedgerEntry, results: readonly LedgerResult[]): string =>
  `{"at":${JSON.stringify(new Date(entry.atMs).toISOString())},"bytes":${entry.bytes},"id":${entry.id},"intact":${entry.intact},` +
  `"results":[${results.map(resultJson).join(',')}],"server":${JSON.stringify(entry.server)}}`;

export interface ExportOptions {
  search: string;
  onProgress: (done: number, total: number) => void;
  isCancelled: () => boolean;
}

/**
 * Every entry that matches the search as one canonical JSON document, newest first: no space, keys sorted, each `sent` the very
 * text that left. Null where it was cancelled.
 * @throws ExportError
 */
export async function exportLedger(
  bridge: AgentBridge,
  { search, onProgress, isCancelled }: ExportOptions,
): Promise<string | null> {
  const parts: string[] = [];
  let before: number | null = null;
  do {
    const page: CallResult<'ledger'> = await bridge.call('ledger', {
      limit: 200,
      ...(search ? { search } : {}),
      ...(before === null ? {} : { before }),
    });
    if (!page.ok) throw new ExportError(page.code);
    for (const entry of page.output.entries) {
      if (isCancelled()) return null;
      const detail = await bridge.call('ledgerEntry', { id: entry.id });
      if (!detail.ok) throw new ExportError(detail.code);
      parts.push(entryJson(entry, detail.output.results));
      onProgress(parts.length, Math.max(page.output.total, parts.length));
    }
    before = page.output.next;
  } while (before !== null);
  return `{"entries":[${parts.join(',')}]}`;
}
