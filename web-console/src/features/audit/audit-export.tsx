import { BYTE_ORDER_MARK, csvLine } from '@svc/contracts/words/csv';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import type { AuditRecord } from '../../api-types.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { formatCount } from '../../ui/words/format.ts';
import type { AuditSearch } from './audit-search.ts';

/** Entries per request, each answered by the permission of that moment; and in all, which the browser holds as text. */
const PAGE = 1000;
const MAX_ENTRIES = 100_000;

const HEADER = [
  ...['number', 'time', 'actor_kind', 'actor_id', 'actor', 'action', 'object_type', 'object_id', 'object', 'detail'],
  ...['change', 'from', 'to', 'hash'],
];

/** An entry as a line, times in UTC; formula-safe. */
export function exportLine({ seq, at, actor, action, object, detail, change, hash }: AuditRecord): string {
  const { from, to } = change?.state === 'kept' ? change : { from: null, to: null };
  return csvLine([
    ...[Number(seq), at, actor.kind, actor.id, actor.name, action],
    ...[object?.type ?? null, object?.id ?? null, object?.name ?? null],
    Object.keys(detail).length > 0 ? JSON.stringify(detail) : null,
    ...[change?.state ?? null, from, to, hash],
  ]);
}

/** All entries of a question, newest first, page by page. */
export async function readExport(question: AuditSearch, onProgress: (entries: number) => void): Promise<string> {
  const lines = [BYTE_ORDER_MARK, csvLine(HEADER)];
  for (let read = 0, cursor: string | undefined; ; ) {
    const page = await ask('audit.list', { ...question, limit: PAGE, ...(cursor && { cursor }) });
    lines.push(...page.items.map(exportLine));
    read += page.items.length;
    onProgress(read);
    if (page.next_cursor === null) return lines.join('');
    if (read >= MAX_ENTRIES) throw new Error(`More than ${formatCount(MAX_ENTRIES)} entries match. Choose fewer days.`);
    cursor = page.next_cursor;
  }
}

function save(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href: url, download: 'audit-trail.csv' }).click();
  URL.revokeObjectURL(url);
}

/** Takes along what the filters show, over all pages. */
export function ExportButton({ question }: { question: AuditSearch }) {
  const [progress, setProgress] = useState(0);
  const download = useMutation({ mutationFn: async () => save(await readExport(question, setProgress)) });
  return (
    <>
      <Button icon="download" look="quiet" busy={download.isPending} onClick={() => download.mutate()}>
        {download.isPending ? `Reading, ${formatCount(progress)} so far` : 'Download CSV'}
      </Button>
      {download.error ? (
        <p className="err s" role="alert">
          {download.error.message}
        </p>
      ) : null}
    </>
  );
}
