import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { pulseQuery } from '../../queries.ts';

/** Asks again for what is shown of incidents as soon as anything became of one, here or in another browser. */
export function usePulse(): void {
  const queryClient = useQueryClient();
  const revision = useQuery(pulseQuery).data?.revision;
  const seen = useRef(revision);
  useEffect(() => {
    if (revision === seen.current) return;
    const isFirst = seen.current === undefined;
    seen.current = revision;
    if (isFirst) return;
    void queryClient.invalidateQueries({ queryKey: ['incidents.list'] });
    void queryClient.invalidateQueries({ queryKey: ['incidents.get'] });
    void queryClient.invalidateQueries({ queryKey: ['causes.get'] });
    void queryClient.invalidateQueries({ queryKey: ['notify.ofIncident'] });
  }, [revision, queryClient]);
}
