import type { RunList } from '@svc/contracts/tests/calls';
import type { RunOfTest, TestRow } from '@svc/contracts/tests/views';
import { Fragment } from 'react';
import { Button, Segments } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { phaseWord, reachedPhases } from '../../../ui/runs/phase-words.ts';
import { ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { formatCount, formatMs } from '../../../ui/words/format.ts';
import { PhaseBar, PhaseLegend } from '../phase-bar.tsx';
import { RunResult } from '../test-state.tsx';
import { RunDetails } from './run-details.tsx';

export interface RunPages {
  pages: readonly RunList[] | undefined;
  error: Error | null;
  retry: () => void;
  more: (() => void) | undefined;
  isMoreBusy: boolean;
  /** Where all of them are read as a file. */
  csvHref: string;
}

interface RunsCardProps {
  row: TestRow;
  runs: RunPages;
  failedOnly: boolean;
  onFailedOnly: (only: boolean) => void;
  /** The run whose details are shown. */
  open: string | undefined;
  onOpen: (resultId: string | undefined) => void;
}

const GHOSTS = Array.from({ length: 6 }, (_, index) => `ghost-${index}`);

/** The latest runs: how long each phase took, on one scale, and what came of it. A row opens to its evidence. */
export function RunsCard({ row, runs, failedOnly, onFailedOnly, open, onOpen }: RunsCardProps) {
  const items = runs.pages?.flatMap((page) => page.items);
  const total = runs.pages?.[0]?.total;
  const shown = items ?? [];
  const scaleMs = Math.max(1, row.usual_ms ?? 0, ...shown.map(({ total_ms }) => total_ms));
  const phases = reachedPhases(shown);
  const heads = [
    'Started',
    'From',
    { name: 'Phases', className: 'runbar' },
    ...phases.map((phase) => numeric(phaseWord(phase, row.test.type))),
    numeric('Total'),
    'Result',
  ];
  return (
    <section className="card" aria-labelledby="runs-h">
      <header>
        <h2 id="runs-h">Latest runs</h2>
        <span className="s mute">{items && items.length > 0 ? `0 to ${formatMs(scaleMs)}` : ''}</span>
        <span className="grow" />
        <PhaseLegend phases={phases} type={row.test.type} usual={row.usual_ms !== null && shown.length > 0} />
        <Segments
          label="Runs listed"
          options={[
            { value: 'all', label: 'All' },
            { value: 'failed', label: 'Failed' },
          ]}
          value={failedOnly ? 'failed' : 'all'}
          onChange={(value) => onFailedOnly(value === 'failed')}
        />
      </header>
      {runs.error && !items ? <Failure error={runs.error} retry={runs.retry} /> : null}
      {items?.length === 0 ? (
        <p className="soft s phasenone">{failedOnly ? 'No run failed in this time.' : 'Nothing ran in this time.'}</p>
      ) : null}
      {items === undefined && !runs.error ? <RunGhosts /> : null}
      {shown.length > 0 ? (
        <ScrollX label="Latest runs">
          <table className="runtable">
            <ColumnHeads columns={heads} />
            <tbody>
              {shown.map((run) => (
                <RunRow
                  key={run.result_id}
                  run={run}
                  row={row}
                  phases={phases}
                  scaleMs={scaleMs}
                  isOpen={open === run.result_id}
                  onOpen={onOpen}
                />
              ))}
            </tbody>
          </table>
        </ScrollX>
      ) : null}
      {shown.length > 0 ? (
        <footer className="runfoot">
          <span className="soft num">
            {formatCount(shown.length)} of {formatCount(total ?? shown.length)} runs
          </span>
          <span className="grow" />
          <a className="btn quiet" href={runs.csvHref} download={`${row.test.name}.csv`}>
            <Icon name="download" size={14} />
            CSV of {total === 1 ? '1 run' : `all ${formatCount(total ?? shown.length)} runs`}
          </a>
          {runs.more ? (
            <Button look="quiet" busy={runs.isMoreBusy} onClick={runs.more}>
              Older runs
            </Button>
          ) : null}
        </footer>
      ) : null}
    </section>
  );
}

const RunGhosts = () => (
  <div className="scrollx">
    <table aria-busy="true" aria-label="Latest runs">
      <tbody>
        {GHOSTS.map((key) => (
          <tr key={key}>
            <td>
              <Ghost width={520} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

interface RunRowProps {
  run: RunOfTest;
  row: TestRow;
  phases: ReturnType<typeof reachedPhases>;
  scaleMs: number;
  isOpen: boolean;
  onOpen: (resultId: string | undefined) => void;
}

/** A figure far above the usual share of its total is what took the time. */
const HOT_SHARE = 0.5;

function RunRow({ run, row, phases, scaleMs, isOpen, onOpen }: RunRowProps) {
  const now = Date.now();
  const figure = (ms: number | undefined) => {
    if (ms === undefined) return <span className="mute">none</span>;
    const hot = !run.success && ms > run.total_ms * HOT_SHARE;
    return <span className={hot ? 'med' : 'soft'}>{formatMs(ms)}</span>;
  };
  return (
    <Fragment>
      <tr className={isOpen ? 'sel' : undefined}>
        <td className="num">
          <button
            type="button"
            className="runopen"
            aria-expanded={isOpen}
            aria-description="Details of the run"
            onClick={() => onOpen(isOpen ? undefined : run.result_id)}
          >
            <Icon name={isOpen ? 'up' : 'down'} size={12} />
            <Time at={run.started_at} show="second" now={now} />
          </button>
        </td>
        <td>
          {run.runner_name}
          {run.on_demand ? <span className="mute">, by hand</span> : null}
        </td>
        <td className="runbar">
          <PhaseBar phases={run.phases} totalMs={run.total_ms} scaleMs={scaleMs} usualMs={row.usual_ms} />
        </td>
        {phases.map((phase) => (
          <td key={phase} className="n">
            {figure(run.phases[phase])}
          </td>
        ))}
        <td className="n">
          <span className="med">{formatMs(run.total_ms)}</span>
        </td>
        <td className="runresult">
          <RunResult run={run}>{run.success ? 'passed' : run.error}</RunResult>
        </td>
      </tr>
      {isOpen ? (
        <tr className="rundetail">
          <td colSpan={phases.length + 5}>
            <RunDetails testId={row.test.id} resultId={run.result_id} />
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}
