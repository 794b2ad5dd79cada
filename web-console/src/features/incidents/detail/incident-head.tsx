import type { IncidentView } from '@svc/contracts/incidents/incident';
import { Link } from '@tanstack/react-router';
import { parseSearch } from '../../../ui/address/search-params.ts';
import { CopyButton } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { Breadcrumb } from '../../../ui/page/breadcrumb.tsx';
import {
  byWhom,
  describeAffected,
  describeRecovery,
  personName,
  STATE_NAMES,
  signalWords,
  ticketText,
} from '../incident-words.ts';
import { lastIncidents } from '../last-incidents.ts';
import { SeverityBadge } from '../severity-badge.tsx';
import { IncidentActs } from './incident-acts.tsx';

/** Where, what, since when, and the means to act. */
export function IncidentHead({ view }: { view: IncidentView }) {
  const { incident, sentence, affected, auto_resolve_minutes } = view;
  const hurt = describeAffected(affected.filter(({ recovered_at }) => recovered_at === null));
  return (
    <>
      <Crumb view={view} />
      <div className="inc-head">
        <div className="grow">
          <IdRow view={view} />
          <h1>{sentence}</h1>
          <p className="soft">
            {hurt ? `Hurt now: ${hurt}. ` : ''}
            {describeRecovery({ incident, minutes: auto_resolve_minutes })}
          </p>
        </div>
        <div className="inc-acts">
          <IncidentActs incident={incident} />
          <CopyButton
            label="Copy for ticket"
            text={ticketText({ ...view, url: new URL(`/incidents/${incident.id}`, location.href).href })}
          />
        </div>
      </div>
    </>
  );
}

function Crumb({ view: { incident } }: { view: IncidentView }) {
  const { ids, query } = lastIncidents();
  const at = ids.indexOf(incident.id);
  const step = (id: string | undefined, label: string, icon: 'left' | 'right') =>
    id ? (
      <Link to="/incidents/$id" params={{ id }} className="btn plain icon" aria-label={label} title={label}>
        <Icon name={icon} />
      </Link>
    ) : null;
  return (
    <Breadcrumb here={<span className="crumb-here">{incident.number}</span>} search={parseSearch(query.replace(/^\?/, ''))}>
      {at >= 0 && ids.length > 1 ? (
        <>
          <span className="num">
            {at + 1} of {ids.length}
          </span>
          {step(ids[at - 1], 'Previous incident', 'left')}
          {step(ids[at + 1], 'Next incident', 'right')}
        </>
      ) : null}
    </Breadcrumb>
  );
}

function IdRow({ view: { incident } }: { view: IncidentView }) {
  const now = useNow(5_000);
  const state =
    incident.status === 'acknowledged' && incident.acknowledged_by
      ? `Acknowledged ${byWhom(incident.acknowledged_by)}`
      : STATE_NAMES[incident.status];
  return (
    <div className="inc-id s">
      <SeverityBadge severity={incident.severity} />
      <b className="med">Incident {incident.number}</b>
      <span>{state}</span>
      {incident.assigned_to ? <span>with {personName(incident.assigned_to)}</span> : null}
      {incident.target ? <span className="inc-clip">{incident.target}</span> : null}
      {incident.prefix || incident.site ? <span>{[incident.prefix, incident.site].filter(Boolean).join(', ')}</span> : null}
      <span>
        {signalWords(incident)}, last <Time at={incident.last_seen_at} show="ago" now={now} /> ago
      </span>
    </div>
  );
}
