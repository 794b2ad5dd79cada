import type { LedgerPage, LedgerResult } from '@svc/contracts/agent/ipc';
import { canonicalJson } from '@svc/contracts/results/canonical-json';
import { IpcFault } from '../ipc/ipc-fault.ts';
import { type Minimised, restore } from '../privacy/minimise.ts';
import type { LedgerMessage } from '../publish/ledger.ts';
import type { LedgerIndex, RowsWanted } from '../publish/ledger-index.ts';

/** Bytes of results in one answer: a frame holds them with what JSON adds around them. */
const ANSWER_BYTES = 900_000;

export async function ledgerPage(index: LedgerIndex, wanted: RowsWanted): Promise<LedgerPage> {
  const { rows, ...rest } = await index.page(wanted);
  return { entries: rows.map(({ at, ...row }) => ({ ...row, atMs: at })), ...rest };
}

const resultOf = (minimised: Minimised): LedgerResult => ({
  before: canonicalJson(restore(minimised)),
  sent: canonicalJson(minimised.result),
  withheld: Object.keys(minimised.withheld).map((key) => key.slice(0, 256)),
});

const messageOf = ({ sent, withheld }: LedgerMessage): LedgerResult => ({
  before: canonicalJson({ ...sent, ...withheld }),
  sent: canonicalJson(sent),
  withheld: Object.keys(withheld).map((key) => key.slice(0, 256)),
});

/** The payloads of one batch from a place in it on, as many as fit one answer; none of one that cannot be read. Throws IpcFault where there is none. */
export async function ledgerEntry(
  index: LedgerIndex,
  { id, from = 0 }: { id: number; from?: number | undefined },
): Promise<{ results: LedgerResult[]; next?: number }> {
  const block = await index.block(id);
  if (block === undefined) throw new IpcFault('failed', 'There is no such record, or not any more.');
  if (block === null) return { results: [] };
  if (block.message) return { results: [messageOf(block.message)] };
  const results: LedgerResult[] = [];
  let bytes = 0;
  for (const minimised of block.results.slice(from)) {
    const result = resultOf(minimised);
    bytes += Buffer.byteLength(JSON.stringify(result)) + 1;
    if (results.length > 0 && bytes > ANSWER_BYTES) return { results, next: from + results.length };
    results.push(result);
  }
  return { results };
}
