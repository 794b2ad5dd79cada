import { IconButton } from '../controls.tsx';
import { joinWords } from '../format.ts';
import { Icon } from '../icons.tsx';
import type { LeftOut } from './known-search.ts';

const MOST_NAMED = 3;
const MOST_CHARACTERS = 60;

const cut = (text: string): string => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);

/** "verdict=bogus is not known here and was left out." */
export function describeLeftOut(items: readonly LeftOut[]): string {
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
