import './compare.css';
import type { DeviceView } from '@svc/contracts/endpoint/view';
import { Segments } from '../../../../ui/controls/controls.tsx';
import { ScrollX } from '../../../../ui/controls/scroll-x.tsx';
import { shortTarget } from '../../../../ui/devices/targets.ts';
import { Failure } from '../../../../ui/placeholders/failure.tsx';
import { type Column, ColumnHeads, numeric } from '../../../../ui/table/column-heads.tsx';
import { formatSpan } from '../../../../ui/words/format.ts';
import type { Comparison, TimeSpan } from '../device-search.ts';
import { useDevice } from '../use-device.ts';
import { type ComparedRow, comparedSpan, compareLayers, comparePath, compareSessions } from './compare-values.ts';

const COLUMNS: readonly Column[] = [{ name: 'What', isUnseen: true }, numeric('Shown'), numeric('Before'), numeric('Difference')];

const OPTIONS = [
  { value: 'none', label: 'Nothing' },
  { value: 'hour', label: 'The hour before' },
  { value: 'yesterday', label: 'The same time yesterday' },
] as const;

interface CompareProps {
  view: DeviceView;
  span: TimeSpan;
  /** False while the whole strip is shown, which is the state of now. */
  isChosen: boolean;
  kind: Comparison | undefined;
  /** Of the path. */
  target: string | undefined;
  onKind: (kind: Comparison | undefined) => void;
}

/** What is shown beside an earlier time: both values and their difference, for layers, the path's hops and sessions. */
export function CompareCard({ view, span, isChosen, kind, target, onKind }: CompareProps) {
  const earlier = useDevice(view.endpoint.id, kind && comparedSpan(kind, span, isChosen));
  return (
    <section className="card cmp" aria-labelledby="cmp-h">
      <header>
        <h2 id="cmp-h">Compare with</h2>
        <Segments
          label="Compare with"
          options={OPTIONS}
          value={kind ?? 'none'}
          onChange={(value) => onKind(value === 'none' ? undefined : value)}
        />
        {kind && earlier.data ? (
          <span className="s mute num">{formatSpan(earlier.data.window.from, earlier.data.window.to, Date.now())}</span>
        ) : null}
      </header>
      {kind === undefined ? null : earlier.data ? (
        <BothTimes shown={view} before={earlier.data} target={target} />
      ) : earlier.isError ? (
        <Failure error={earlier.error} retry={() => earlier.refetch()} kept="The address keeps what is compared." />
      ) : (
        <p className="s mute cmpnote" aria-busy="true">
          Reading the earlier time
        </p>
      )}
    </section>
  );
}

interface BothProps {
  shown: DeviceView;
  before: DeviceView;
  target: string | undefined;
}

/** Three tables; a time in which nothing was measured says so. */
export function BothTimes({ shown, before, target }: BothProps) {
  const path = comparePath(shown, before, target);
  const sessions = compareSessions(shown, before);
  const isEmpty = before.layers_at === null && before.paths.length === 0 && before.sessions.length === 0;
  return (
    <>
      {isEmpty ? <p className="s soft cmpnote">Nothing was measured in the earlier time.</p> : null}
      <div className="cmpgrid">
        <Compared title="Layers, score" rows={compareLayers(shown, before)} />
        <Compared title={path ? `Round trip to the hops to ${shortTarget(path.target)}` : 'Path'} rows={path?.rows ?? []} />
        <Compared title="Sessions, median of those that succeeded" rows={sessions} />
      </div>
    </>
  );
}

function Compared({ title, rows }: { title: string; rows: readonly ComparedRow[] }) {
  if (rows.length === 0) {
    return (
      <div>
        <h3 className="s">{title}</h3>
        <p className="s mute">Not measured at either time.</p>
      </div>
    );
  }
  return (
    <ScrollX label={title}>
      <table>
        <caption className="s">{title}</caption>
        <ColumnHeads columns={COLUMNS} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.name}</th>
              <td className="n">{row.shown}</td>
              <td className="n mute">{row.before}</td>
              <td className="n med">{row.difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
