import { useEffect, useState } from 'react';

/** Unix milliseconds, refreshed at the given pace; the machine's clock may jump, so it is read, not counted. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
