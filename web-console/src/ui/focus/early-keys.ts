/** A part that never comes, as a chunk that is gone, takes no keys for long. */
const MOST_MS = 5000;

const none = (): string => '';
let take = none;

const isTyped = (event: KeyboardEvent): boolean =>
  event.key.length === 1 && !event.metaKey && (event.getModifierState('AltGraph') || !(event.ctrlKey || event.altKey));

/**
 * Keeps what is typed from now on until `takeEarlyKeys`: whoever opens something by a key types on at once, and the field that is meant
 * comes a moment later, with the chunk that it is in.
 */
export function keepEarlyKeys(): void {
  take();
  let text = '';
  const listen = (event: KeyboardEvent): void => {
    if (event.key === 'Backspace') text = text.slice(0, -1);
    else if (isTyped(event)) text += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const timer = setTimeout(() => take(), MOST_MS);
  addEventListener('keydown', listen, true);
  take = () => {
    removeEventListener('keydown', listen, true);
    clearTimeout(timer);
    take = none;
    return text;
  };
}

/** What was typed since; from now on keys go where the focus is. */
export const takeEarlyKeys = (): string => take();
