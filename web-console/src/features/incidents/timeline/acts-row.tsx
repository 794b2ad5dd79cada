import type { IncidentEntry, IncidentView } from '@svc/contracts/incidents/incident';
import { Icon } from '../../../ui/controls/icons.tsx';
import { describeEntry, ENTRY_ICONS, partOf, personName } from '../incident-words.ts';
import { type Plot, Row } from './lane-row.tsx';

/** Acts closer to one another than this share a mark; a name needs so much room. */
const MARK_PX = 20;
const NAME_PX = 64;

interface Mark {
  x: number;
  entries: IncidentEntry[];
}

/** Acts that are shown, the close ones together. */
function groupActs(entries: readonly IncidentEntry[], { width, toX }: Plot): Mark[] {
  const marks: Mark[] = [];
  for (const entry of entries.toSorted((a, b) => a.at.localeCompare(b.at))) {
    const x = toX(Date.parse(entry.at));
    if (x < 0 || x > width) continue;
    const last = marks.at(-1);
    if (last && x - last.x < MARK_PX) last.entries.push(entry);
    else marks.push({ x, entries: [entry] });
  }
  return marks;
}

/** What people did, and the system where nobody had to. */
export function ActsRow({ view, plot }: { view: IncidentView; plot: Plot }) {
  const acts = view.entries.filter((entry) => partOf(entry) === 'people');
  if (acts.length === 0) return null;
  const marks = groupActs(acts, plot);
  const hasRoom = (index: number): boolean => {
    const [before, here, after] = [marks[index - 1], marks[index], marks[index + 1]];
    const x = here?.x ?? 0;
    return (
      x - (before?.x ?? -NAME_PX) >= NAME_PX &&
      (after?.x ?? x + NAME_PX) - x >= NAME_PX &&
      x >= NAME_PX / 2 &&
      x <= plot.width - NAME_PX / 2
    );
  };
  return (
    <Row plot={plot} label={<b>Reactions</b>} note="people, the system" className="tl-acts">
      <ul>
        {marks.map(({ x, entries }, index) => {
          const [first] = entries;
          if (!first) return null;
          const words = entries.map((entry) => `${personName(entry.actor)} ${describeEntry(entry, undefined)}`).join('; ');
          return (
            <li key={first.id} style={{ left: x }} title={words}>
              <Icon name={ENTRY_ICONS[first.kind]} size={12} />
              <span className="unseen">{words}</span>
              {hasRoom(index) ? (
                <small aria-hidden="true">{entries.length > 1 ? `${entries.length} acts` : personName(first.actor)}</small>
              ) : null}
            </li>
          );
        })}
      </ul>
    </Row>
  );
}
