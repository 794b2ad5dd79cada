import type { EndpointRow } from '@svc/contracts/endpoint/view';
import type { Health } from '@svc/contracts/judged/healths';
import { Icon, type IconName } from '../controls/icons.tsx';
import { verdictIcon } from '../devices/verdict.tsx';
import { toneOf } from '../devices/verdict-words.ts';
import { HEALTH_NAMES, healthOfRow, rowVerdictShort, rowVerdictWord } from './health-words.ts';

type NotGreen = Extract<Health, 'measuring' | 'partial' | 'off'>;

// None is green, and none has the colour of a cause: nothing that a person uses is slow.
const LOOKS: Readonly<Record<NotGreen, { icon: IconName; tone: string }>> = {
  measuring: { icon: 'clock', tone: 'none' },
  partial: { icon: 'eyeOff', tone: 'none' },
  off: { icon: 'warning', tone: 'unknown' },
};

/** As a tile has room for. */
const SHORT: Readonly<Record<NotGreen, string>> = { measuring: 'Measuring', partial: 'Partial', off: 'Something off' };

function lookOf(row: EndpointRow): { icon: IconName; tone: string } {
  const health = healthOfRow(row);
  if (health === 'measuring' || health === 'partial' || health === 'off') return LOOKS[health];
  return { icon: verdictIcon(row.verdict), tone: toneOf(row.verdict) };
}

/** The icon of a row's verdict; the check mark is for a device of which all was measured and nothing is off. */
export function RowVerdictIcon({ row, size = 16 }: { row: EndpointRow; size?: number }) {
  const { icon, tone } = lookOf(row);
  return (
    <span className={`v v-${tone}`}>
      <Icon name={icon} size={size} />
    </span>
  );
}

/** Icon, word, then colour. */
export function RowVerdict({ row }: { row: EndpointRow }) {
  const { icon, tone } = lookOf(row);
  return (
    <span className={`v v-${tone}`}>
      <Icon name={icon} />
      <span title={rowVerdictWord(row)}>{rowVerdictShort(row)}</span>
    </span>
  );
}

/** The same for all devices of one health, as tiles show them. */
export function HealthMark({ health }: { health: NotGreen }) {
  const { icon, tone } = LOOKS[health];
  return (
    <span className={`v v-${tone}`}>
      <Icon name={icon} />
      <span title={HEALTH_NAMES[health]}>{SHORT[health]}</span>
    </span>
  );
}
