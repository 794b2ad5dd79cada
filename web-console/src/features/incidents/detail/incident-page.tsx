import '../incidents.css';
import type { IncidentView } from '@svc/contracts/incidents/incident';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ask } from '../../../api.ts';
import { RootCauseCard } from '../../../ui/causes/root-cause-card.tsx';
import { CandidatesCard } from '../../../ui/changes/candidates-card.tsx';
import { Breadcrumb } from '../../../ui/page/breadcrumb.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { TimelineCard } from '../timeline/timeline-card.tsx';
import { usePulse } from '../use-pulse.ts';
import { AffectedCard } from './affected-card.tsx';
import { CommentsCard } from './comments-card.tsx';
import { IncidentHead } from './incident-head.tsx';
import { LifeCells } from './life-cells.tsx';
import { NoticesCard } from './notices-card.tsx';
import { OrderCard } from './order-card.tsx';
import { RelatedCard } from './related-card.tsx';

const route = getRouteApi('/incidents/$id');

/** One incident: what hurts, since when, who has it, and what happened in order. */
export function IncidentPage() {
  const { id } = route.useParams();
  usePulse();
  const view = useQuery({
    queryKey: ['incidents.get', id],
    queryFn: ({ signal }) => ask('incidents.get', { id }, signal),
  });
  const number = view.data?.incident.number;
  useEffect(() => {
    document.title = number === undefined ? 'Incident' : `Incident ${number}`;
  }, [number]);
  if (view.data) return <Loaded view={view.data} />;
  return (
    <div className="page wide">
      <Breadcrumb here={<span className="crumb-here">Incident</span>} />
      {view.isError ? (
        <Failure error={view.error} retry={() => void view.refetch()} />
      ) : (
        <h1>
          <Ghost width={420} says="Incident, loading" />
        </h1>
      )}
    </div>
  );
}

function Loaded({ view }: { view: IncidentView }) {
  return (
    <div className="page wide inc-page">
      <IncidentHead view={view} />
      <LifeCells view={view} />
      <TimelineCard view={view} />
      <div className="inc-two">
        <div className="inc-stack">
          <RootCauseCard incidentId={view.incident.id} />
          <OrderCard view={view} />
        </div>
        <div className="inc-stack">
          <CandidatesCard incident={view.incident.id} />
          <AffectedCard view={view} />
          <NoticesCard incident={view.incident.id} />
          <RelatedCard view={view} />
          <CommentsCard view={view} />
        </div>
      </div>
    </div>
  );
}
