import type { IpcInput, IpcOutput } from '@svc/contracts/agent/ipc';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Words } from '../i18n/words.ts';
import type { CallFault, HandedOn } from './bridge.ts';
import { useStore } from './store.ts';

export interface Call<C extends HandedOn> {
  /** Undefined where it failed; then `fault` says how. */
  run(input: IpcInput<C>): Promise<IpcOutput<C> | undefined>;
  busy: boolean;
  fault: CallFault | null;
}

/** One call to the service with its fault. Answers that come after the page was left are dropped. */
export function useCall<C extends HandedOn>(name: C): Call<C> {
  const { bridge } = useStore();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<CallFault | null>(null);
  const mounted = useRef(true);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  const run = useCallback(
    async (input: IpcInput<C>) => {
      setBusy(true);
      const result = await bridge.call(name, input);
      if (!mounted.current) return undefined;
      setBusy(false);
      setFault(result.ok ? null : result.code);
      return result.ok ? result.output : undefined;
    },
    [bridge, name],
  );
  return { run, busy, fault };
}

const KNOWN = ['refused', 'busy', 'not_enrolled', 'unreachable', 'failed'] as const;

/** A fault in words; one that only a faulty face can cause reads as any other failure. */
export const faultWords = (words: Words, fault: CallFault): string =>
  words.t(`call.${KNOWN.find((known) => known === fault) ?? 'failed'}`);
