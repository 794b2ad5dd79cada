import './both-times.css';
import type { DeviceView } from '@svc/contracts/endpoint/view';
import { ScrollX } from '../../../../ui/controls/scroll-x.tsx';
import { shortTarget } from '../../../../ui/devices/targets.ts';
import { type Column, ColumnHeads, numeric } from '../../../../ui/table/column-heads.tsx';
import { type ComparedRow, compareLayers, comparePath, compareSessions } from './compare-values.ts';

const COLUMNS: readonly Column[] = [{ name: 'What', isUnseen: true }, numeric('Shown'), numeric('Before'), numeric('Difference')];

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
