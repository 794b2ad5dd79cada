import type { IncidentState } from '@svc/contracts/incidents/incident';
import type { Severity } from '@svc/contracts/incidents/signal';
import { Icon } from '../../ui/controls/icons.tsx';
import { SEVERITY_NAMES, STATE_NAMES } from './incident-words.ts';

/** Weight, not hue: critical is ink turned inside out, a warning an ink edge, info a quiet edge; always icon and word. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <span className={`badge badge-${severity}`}>
      <Icon name="warning" size={12} />
      {SEVERITY_NAMES[severity]}
    </span>
  );
}

const STATE_ICONS = { open: 'warning', acknowledged: 'person', resolved: 'check' } as const;

export function StateMark({ status }: { status: IncidentState }) {
  return (
    <span className={status === 'open' ? 'inc-state on' : 'inc-state'}>
      <Icon name={STATE_ICONS[status]} size={14} />
      <span>{STATE_NAMES[status]}</span>
    </span>
  );
}
