import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tell } from '../../../api.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { Confirm } from '../../../ui/dialogs/dialog.tsx';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { ListFooter, Picked } from '../../../ui/table/list-footer.tsx';
import { plural } from '../../../ui/words/format.ts';
import { CHANGED } from '../test-queries.ts';
import { csvHref, pageOf, type TestsSearch } from './tests-search.ts';

/** How many are run at once by hand; the rest is a selection's business. */
const MOST_RUNS = 50;
const AT_ONCE = 4;

/** Starts a run of each, a few at a time. Says how many were started; the first refusal ends it. */
async function runEach(ids: readonly string[]): Promise<string> {
  const queue = ids.slice(0, MOST_RUNS);
  const count = queue.length;
  const worker = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) await tell('tests.runNow', { id });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return count < ids.length
    ? `${count} of ${plural(ids.length, 'test')} running now, the most at once`
    : `${plural(count, 'test')} running now`;
}

async function enableEach(ids: readonly string[], enabled: boolean): Promise<string> {
  await tell('tests.setEnabled', { ids: [...ids], enabled });
  return `${plural(ids.length, 'test')} ${enabled ? 'resumed' : 'paused'}`;
}

interface BulkProps {
  ids: readonly string[];
  mayWrite: boolean;
  onClear: () => void;
}

function Bulk({ ids, mayWrite, onClear }: BulkProps) {
  const queryClient = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const act = useMutation({
    mutationFn: (what: () => Promise<string>) => what(),
    onSuccess: () => Promise.all(CHANGED.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
  const remove = async (): Promise<string> => {
    await tell('tests.remove', { ids: [...ids] });
    setRemoving(false);
    onClear();
    return '';
  };
  const unavailable = mayWrite ? undefined : refusalWords('test.write');
  const button = (label: string, what: () => Promise<string>) => (
    <Button look="quiet" busy={act.isPending} unavailable={unavailable} onClick={() => act.mutate(what)}>
      {label}
    </Button>
  );
  return (
    <Picked count={ids.length} onClear={onClear}>
      {button('Run now', () => runEach(ids))}
      {button('Pause', () => enableEach(ids, false))}
      {button('Resume', () => enableEach(ids, true))}
      <Button look="quiet" unavailable={unavailable} onClick={() => setRemoving(true)}>
        Delete
      </Button>
      {act.data ? <span className="soft">{act.data}</span> : null}
      {act.error ? <span className="err">{act.error.message}</span> : null}
      <Confirm
        open={removing}
        title={`Delete ${plural(ids.length, 'test')}?`}
        action="Delete"
        busy={act.isPending}
        error={act.error?.message}
        onConfirm={() => act.mutate(remove)}
        onClose={() => setRemoving(false)}
      >
        Measuring stops at once. The runs already made are kept until their retention ends, but no page shows them any more.
      </Confirm>
    </Picked>
  );
}

interface FooterProps {
  search: TestsSearch;
  matched: number | undefined;
  rows: number;
  selected: readonly string[];
  mayWrite: boolean;
  onClear: () => void;
  onPage: (next: Pick<TestsSearch, 'page'> & { size?: number }) => void;
}

/** What is shown of how many, what to do with the selected ones, CSV of all pages, and the pages. */
export function TestsFooter({ search, matched, rows, selected, mayWrite, onClear, onPage }: FooterProps) {
  return (
    <ListFooter
      noun="test"
      rows={rows}
      matched={matched}
      place={pageOf(search)}
      csv={{ href: csvHref(search), file: 'tests.csv' }}
      onPage={onPage}
    >
      {selected.length > 0 ? <Bulk ids={selected} mayWrite={mayWrite} onClear={onClear} /> : null}
    </ListFooter>
  );
}
