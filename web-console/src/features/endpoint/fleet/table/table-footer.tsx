import { useMutation } from '@tanstack/react-query';
import { tell } from '../../../../api.ts';
import { Button } from '../../../../ui/controls/controls.tsx';
import { refusalWords } from '../../../../ui/permission/permission-words.ts';
import { ListFooter, Picked } from '../../../../ui/table/list-footer.tsx';
import { formatCount, plural } from '../../../../ui/words/format.ts';
import { csvHref, type FleetSearch, pageOf } from '../fleet-search.ts';

/** How many devices are asked to measure in one go; the rest is a selection's business. */
const MAX_RUN_NOW = 200;
const AT_ONCE = 6;

interface RunNowResult {
  connected: number;
  away: number;
}

/** Asks each device, a few at a time; says how many hold a connection and so measure at once. */
async function runNow(ids: readonly string[]): Promise<RunNowResult> {
  const queue = ids.slice(0, MAX_RUN_NOW);
  const result: RunNowResult = { connected: 0, away: 0 };
  const worker = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      const answer = await tell('fleet.runNow', { id });
      if (answer.connected) result.connected += 1;
      else result.away += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return result;
}

const describeRun = ({ connected, away }: RunNowResult): string =>
  away === 0
    ? `${plural(connected, 'device')} measuring now`
    : `${formatCount(connected)} measuring now, ${formatCount(away)} not connected`;

function MeasureNow({ ids, mayWrite, onClear }: { ids: readonly string[]; mayWrite: boolean; onClear: () => void }) {
  const run = useMutation({ mutationFn: runNow });
  return (
    <Picked count={ids.length} onClear={onClear}>
      <Button
        look="quiet"
        busy={run.isPending}
        unavailable={mayWrite ? undefined : refusalWords('agent.write')}
        onClick={() => run.mutate(ids)}
      >
        Measure now
      </Button>
      {run.data ? <span className="soft">{describeRun(run.data)}</span> : null}
      {run.error ? <span className="err">{run.error.message}</span> : null}
    </Picked>
  );
}

interface FooterProps {
  search: FleetSearch;
  matched: number | undefined;
  rows: number;
  selected: readonly string[];
  mayWrite: boolean;
  onClear: () => void;
  onPage: (next: Pick<FleetSearch, 'page'> & { size?: number }) => void;
}

/** What is shown of how many, what to do with the selected ones, CSV of all pages, and the pages. */
export function TableFooter({ search, matched, rows, selected, mayWrite, onClear, onPage }: FooterProps) {
  return (
    <ListFooter
      noun="device"
      rows={rows}
      matched={matched}
      place={pageOf(search)}
      csv={{ href: csvHref(search), file: 'devices.csv' }}
      onPage={onPage}
    >
      {selected.length > 0 ? <MeasureNow ids={selected} mayWrite={mayWrite} onClear={onClear} /> : null}
    </ListFooter>
  );
}
