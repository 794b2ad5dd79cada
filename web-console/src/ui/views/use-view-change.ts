import type { ViewPage } from '@svc/contracts/saved-views/saved-view';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { viewsQuery } from './saved-views.ts';

/** Runs one change of the page's views at a time; `onDone` once the list shows it. */
export function useViewChange(page: ViewPage, onDone: () => void) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (tellServer: () => Promise<unknown>) => tellServer(),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: viewsQuery(page).queryKey });
      onDone();
    },
  });
  return { run: change.mutate, error: change.error?.message, busy: change.isPending };
}
