import type { DeviceView } from '@svc/contracts/endpoint/view';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { formatMoment } from '../../../ui/words/format.ts';

/** Nothing was judged in a window that has passed: the row then says nothing of the device. */
export const isUnjudged = ({ window, layers_at }: Pick<DeviceView, 'window' | 'layers_at'>): boolean =>
  !window.is_now && layers_at === null;

interface NoteProps {
  view: Pick<DeviceView, 'window' | 'layers_at'>;
  onNow: () => void;
}

/** Of which time the page is, where that is not now; nothing where it is. */
export function WindowNote({ view, onNow }: NoteProps) {
  const { window, layers_at: at } = view;
  if (window.is_now) return null;
  const now = Date.now();
  const span = `${formatMoment(window.from, now)} and ${formatMoment(window.to, now)}`;
  return (
    <div className="note row wnote" role="status">
      <Icon name="clock" size={14} />
      <span className="grow">
        {at === null ? (
          `No verdict between ${span}.`
        ) : (
          <>
            As of <Time at={at} now={now} />, the last verdict between {span}.
          </>
        )}
      </span>
      <button type="button" className="linkish" onClick={onNow}>
        Show now
      </button>
    </div>
  );
}
