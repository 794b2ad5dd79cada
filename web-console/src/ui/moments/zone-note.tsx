import './moments.css';
import { createMoments, zoneWords } from './zone.ts';

const viewer = createMoments();

/** Whose clock the times of a page are on, said once: "Times: Asia/Kolkata (UTC+5:30)". */
export function ZoneNote({ moments = viewer, now = Date.now() }: { moments?: typeof viewer; now?: number }) {
  return (
    <span className="zone s mute" title="Your own time zone; hover over a time for UTC.">
      Times: {zoneWords(moments, now)}
    </span>
  );
}
