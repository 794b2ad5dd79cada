import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { tell } from '../../../../api.ts';
import { Button, IconButton } from '../../../../ui/controls/controls.tsx';
import { Icon } from '../../../../ui/controls/icons.tsx';
import { refusalWords } from '../../../../ui/permission/permission-words.ts';
import { formatCount, plural } from '../../../../ui/words/format.ts';
import { csvHref, type FleetSearch, PAGE_SIZES, pageOf } from '../fleet-search.ts';

/** How many devices are asked to measure in one go; the rest is a selection's business. */
const MAX_RUN_NOW = 200;
const AT_ONCE = 6;

interface RunNowResult {
  connected: number;
  asleep: number;
}

/** Asks each device, a few at a time; says how many hold a connection and so measure at once. */
async function runNow(ids: readonly string[]): Promise<RunNowResult> {
  const queue = ids.slice(0, MAX_RUN_NOW);
  const result: RunNowResult = { connected: 0, asleep: 0 };
  const worker = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      const answer = await tell('fleet.runNow', { id });
      if (answer.connected) result.connected += 1;
      else result.asleep += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return result;
}

const describeRun = ({ connected, asleep }: RunNowResult): string =>
  asleep === 0
    ? `${plural(connected, 'device')} measuring now`
    : `${formatCount(connected)} measuring now, ${formatCount(asleep)} not connected`;

interface PickedProps {
  ids: readonly string[];
  mayWrite: boolean;
  onClear: () => void;
}

function Picked({ ids, mayWrite, onClear }: PickedProps) {
  const run = useMutation({ mutationFn: runNow });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClear();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [onClear]);
  return (
    <span className="picked" role="status">
      <b>{formatCount(ids.length)} selected</b>
      <Button
        look="quiet"
        busy={run.isPending}
        unavailable={mayWrite ? undefined : refusalWords('agent.write')}
        onClick={() => run.mutate(ids)}
      >
        Measure now
      </Button>
      <Button look="plain" onClick={onClear}>
        Clear <kbd>Esc</kbd>
      </Button>
      {run.data ? <span className="soft">{describeRun(run.data)}</span> : null}
      {run.error ? <span className="err">{run.error.message}</span> : null}
    </span>
  );
}

interface FooterProps {
  search: FleetSearch;
  matched: number | undefined;
  rows: number;
  selected: readonly string[];
  mayWrite: boolean;
  onClear: () => void;
  onPage: (change: Pick<FleetSearch, 'page' | 'size'>) => void;
}

/** Which rows are shown of how many, the selection's actions, the CSV and the pages. */
export function TableFooter({ search, matched, rows, selected, mayWrite, onClear, onPage }: FooterProps) {
  const { limit, offset, page } = pageOf(search);
  const pages = Math.max(1, Math.ceil((matched ?? 0) / limit));
  return (
    <footer className="foot">
      <span className="soft nowrap">
        {rows > 0 ? (
          <>
            <b className="num">
              {rows === 1 ? formatCount(offset + 1) : `${formatCount(offset + 1)}–${formatCount(offset + rows)}`}
            </b>{' '}
            of <b className="num">{formatCount(matched ?? 0)}</b> {matched === 1 ? 'device' : 'devices'}
          </>
        ) : (
          <span>{matched === undefined ? 'Reading' : 'No devices'}</span>
        )}
      </span>
      <select
        className="pagesize mute"
        aria-label="Rows per page"
        value={limit}
        onChange={(event) => onPage({ page: undefined, size: Number(event.currentTarget.value) })}
      >
        {PAGE_SIZES.map((size) => (
          <option key={size} value={size}>
            {size} per page
          </option>
        ))}
      </select>
      {selected.length > 0 ? <Picked ids={selected} mayWrite={mayWrite} onClear={onClear} /> : null}
      <span className="grow" />
      {matched ? (
        <a className="btn quiet" href={csvHref(search)} download="devices.csv">
          <Icon name="download" size={14} />
          CSV of {matched === 1 ? '1 row' : `all ${formatCount(matched)} rows`}
        </a>
      ) : null}
      <span className="row pages">
        <IconButton
          icon="left"
          label="Previous page"
          disabled={page <= 1}
          onClick={() => onPage({ page: page - 1 > 1 ? page - 1 : undefined })}
        />
        <span className="num soft nowrap">
          Page {formatCount(page)} of {formatCount(pages)}
        </span>
        <IconButton icon="right" label="Next page" disabled={page >= pages} onClick={() => onPage({ page: page + 1 })} />
      </span>
    </footer>
  );
}
