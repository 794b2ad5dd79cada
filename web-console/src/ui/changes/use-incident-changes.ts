import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';

const EVERY_MS = 15_000;

export const incidentChangesKey = (incident: string) => ['changes.ofIncident', incident];

/** Of the panel that weighs them against everything else. */
export const rootCauseKey = (incident: string) => ['causes.get', incident];

/** Changes that may have caused an incident, and what it is recognised by. */
export const useIncidentChanges = (incident: string) =>
  useQuery({
    queryKey: incidentChangesKey(incident),
    queryFn: ({ signal }) => ask('changes.ofIncident', { id: incident }, signal),
    refetchInterval: EVERY_MS,
  });
