import { IconButton } from '../controls/controls.tsx';
import { Icon } from '../controls/icons.tsx';
import { formatSpan, joinWords } from '../words/format.ts';
import type { LeftOut } from './known-search.ts';
import { readInstant } from './time-range.ts';

const MOST_NAMED = 3;
const MOST_CHARACTERS = 60;

const cut = (text: string): string => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);

/** A window that reads well but that the page cannot show: too long ago, in the future, too short or too long. */
const isWindow = (items: readonly LeftOut[]): boolean =>
  items.length === 2 && items.every(({ key, value }) => (key === 'from' || key === 'to') && !Number.isNaN(readInstant(value)));

/** "verdict=bogus is not known here and was left out." */
export function describeLeftOut(items: readonly LeftOut[]): string {
  if (isWindow(items)) {
    const [from = '', to = ''] = ['from', 'to'].map((name) => items.find(({ key }) => key === name)?.value);
    return `This page cannot show ${formatSpan(from, to, Date.now())}, the time in the address. It shows its usual time instead.`;
  }
  const named = items.slice(0, MOST_NAMED).map(({ key, value }) => cut(`${key}=${value}`));
  const more = items.length - named.length;
  const all = joinWords(more > 0 ? [...named, `${more} more`] : named);
  return `${all} ${items.length === 1 ? 'is not known here and was' : 'are not known here and were'} left out of the address.`;
}

/** Says what of an address a page could not follow; the rest of it holds. */
export function LeftOutNotice({ items, onDismiss }: { items: readonly LeftOut[]; onDismiss: () => void }) {
  if (items.length === 0) return null;
  return (
    <div className="note row left-out" role="status">
      <Icon name="filter" size={14} />
      <span className="grow">{describeLeftOut(items)}</span>
      <IconButton icon="cross" label="Dismiss" onClick={onDismiss} />
    </div>
  );
}
