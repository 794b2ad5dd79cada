import type { RunProgress } from '@svc/contracts/tests/calls';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';

/** How often a run under way is asked about, milliseconds: a phase shows while the next one lasts. */
const STEP_MS = 400;

export interface RunUnderWay {
  progress: RunProgress | undefined;
  isRunning: boolean;
  error: Error | undefined;
  begin: () => void;
  /** Lets go of the result. */
  forget: () => void;
}

/** Starts a run by `start`, which gives its id, and follows it until it is over. */
export function useRun(start: () => Promise<{ run_id: string }>, onDone: () => void = () => {}): RunUnderWay {
  const started = useMutation({ mutationFn: start });
  const id = started.data?.run_id;
  const followed = useQuery({
    queryKey: ['tests.progress', id],
    queryFn: async ({ signal }) => {
      const progress = await ask('tests.progress', { run_id: id ?? '' }, signal);
      if (progress.done) onDone();
      return progress;
    },
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.done ? false : STEP_MS),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const isOpen = id !== undefined && !followed.data?.done && !followed.isError;
  return {
    progress: followed.data,
    isRunning: started.isPending || isOpen,
    error: started.error ?? followed.error ?? undefined,
    begin: () => started.mutate(),
    forget: started.reset,
  };
}
