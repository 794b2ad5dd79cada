import { BYTE_ORDER_MARK, csvLine } from '@svc/contracts/words/csv';
import { useMutation } from '@tanstack/react-query';
import { ask } from '../../../api.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { formatCount } from '../../../ui/words/format.ts';
import type { RumRow } from '../rum-queries.ts';
import { saveText } from '../save-text.ts';
import { toQuery } from './rum-query.ts';
import type { RumSearch } from './rum-search.ts';

const AT_ONCE = 1000;

const HEADER = [
  ...['app', 'host', 'state', 'verdict', 'sufficient', 'since', 'sentence', 'views', 'usual_views', 'error_rate'],
  ...['views_with_errors', 'views_with_failed_requests', 'p75_lcp_ms', 'p75_inp_ms', 'p75_cls', 'p75_ttfb_ms', 'p75_fcp_ms'],
  ...['p75_load_ms', 'test_runs', 'test_runs_failed', 'incident', 'last_beacon_at'],
];

const toLine = (row: RumRow): string =>
  csvLine([
    ...[row.app, row.host, row.state, row.verdict, String(row.sufficient), row.since, row.sentence],
    ...[row.views, row.usual_views, row.error_rate, row.views_with_errors, row.views_with_failed_requests],
    ...[row.p75.lcp ?? null, row.p75.inp ?? null, row.p75.cls ?? null, row.p75.ttfb ?? null, row.p75.fcp ?? null],
    ...[row.p75.load ?? null, row.tests?.runs ?? null, row.tests?.failed ?? null, row.incident?.number ?? null],
    row.last_beacon_at,
  ]);

/** Exactly what is filtered, over all pages and in the shown order; an unmeasured figure is an empty cell. */
async function writeAll(search: RumSearch): Promise<string> {
  const lines = [BYTE_ORDER_MARK, csvLine(HEADER)];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof askPage>> = await askPage(search, cursor);
    lines.push(...page.verdicts.map(toLine));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return lines.join('');
}

const askPage = (search: RumSearch, cursor: string | null) =>
  ask('rum.overview', { ...toQuery(search), limit: AT_ONCE, ...(cursor ? { cursor } : {}) });

export function CsvButton({ search, total }: { search: RumSearch; total: number }) {
  const save = useMutation({ mutationFn: () => writeAll(search), onSuccess: (text) => saveText('real-users.csv', text) });
  return (
    <>
      {save.error ? <span className="err s">{save.error.message}</span> : null}
      <Button look="quiet" icon="download" busy={save.isPending} onClick={() => save.mutate()}>
        CSV of {total === 1 ? '1 row' : `all ${formatCount(total)} rows`}
      </Button>
    </>
  );
}
