import './changes.css';
import type { ChangeMark } from '@svc/contracts/changes/change';
import { Link } from '@tanstack/react-router';
import type { TimeSpan } from '../charts/brush-span.ts';
import { Checkbox } from '../controls/controls.tsx';
import { formatMoment, plural } from '../words/format.ts';
import { KIND_NAMES, searchOfChange } from './change-words.ts';
import { useChangesShown } from './changes-shown.ts';

const MAX_NAMED = 3;

interface NamedMarksProps {
  targets: readonly string[];
  span: TimeSpan;
  /** The newest of them, and how many there are; undefined while they are asked for. */
  marks: { items: readonly ChangeMark[]; total: number } | undefined;
}

/** The switch of the marks on charts, and beside it each of them as a link. */
export function NamedMarks({ targets, span, marks }: NamedMarksProps) {
  const [on, choose] = useChangesShown();
  return (
    <section className="chg-lane" aria-label="Changes of what is shown">
      <Checkbox label="Changes" checked={on} onChange={choose} />
      {on ? <Marks marks={marks} span={span} targets={targets} /> : null}
    </section>
  );
}

function Marks({ marks, span, targets }: NamedMarksProps) {
  const within = (marks?.items ?? []).filter(({ occurred_at: at }) => Date.parse(at) >= span.from && Date.parse(at) < span.to);
  const where = targets.length > MAX_NAMED ? plural(targets.length, 'target') : targets.join(', ');
  const words = (mark: ChangeMark): string => `${KIND_NAMES[mark.kind]} ${mark.number}, ${mark.title}`;
  return (
    <>
      <div className="chg-marks">
        {within.map((mark) => (
          <Link
            key={mark.id}
            to="/changes"
            search={searchOfChange(mark.number, mark.occurred_at)}
            className="chg-mark"
            style={{ left: `${((Date.parse(mark.occurred_at) - span.from) / (span.to - span.from)) * 100}%` }}
            title={`${formatMoment(mark.occurred_at, Date.now())}: ${words(mark)}`}
            aria-label={`${words(mark)}, ${formatMoment(mark.occurred_at, Date.now())}`}
          />
        ))}
      </div>
      <span className="s mute chg-count" aria-live="polite">
        {marks === undefined ? '' : marks.total === 0 ? `none of ${where}` : plural(marks.total, 'change')}
      </span>
    </>
  );
}
