import { useMutation, useQueryClient } from '@tanstack/react-query';
import { tell } from '../../../api.ts';
import type { Input, MutationName } from '../../../api-types.ts';

type IncidentVerb = Extract<MutationName, `incidents.${string}`>;

/** A change of an incident: the page, the list and the count in the navigation ask again before it counts as done. */
export function useIncidentChange<Name extends IncidentVerb>(name: Name, onDone?: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<Name>) => tell(name, input),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['incidents.get'] }),
        queryClient.invalidateQueries({ queryKey: ['incidents.list'] }),
        queryClient.invalidateQueries({ queryKey: ['incidents.pulse'] }),
      ]);
      onDone?.();
    },
  });
}
