import { type RefObject, useEffect, useState } from 'react';

const AT_MOST_EVERY_MS = 60_000;

/**
 * The newest value, but renewed at most once a minute and never while its element holds the focus, so that nobody reads a sentence that
 * changes. `isOther`: what must show at once.
 */
export function useCalm<Value>(
  value: Value,
  held: RefObject<HTMLElement | null>,
  isOther: (before: Value, now: Value) => boolean,
): Value {
  const [calm, setCalm] = useState({ value, at: Date.now() });
  useEffect(() => {
    const wait = isOther(calm.value, value) ? 0 : Math.max(0, calm.at + AT_MOST_EVERY_MS - Date.now());
    const timer = setTimeout(() => {
      if (!held.current?.contains(document.activeElement)) setCalm({ value, at: Date.now() });
    }, wait);
    return () => clearTimeout(timer);
  }, [value, calm, held, isOther]);
  return calm.value;
}
