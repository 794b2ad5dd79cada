import type { Incident } from '@svc/contracts/incidents/incident';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { meQuery } from '../../../queries.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { Pop } from '../../../ui/controls/floating.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { SEVERITY_NAMES } from '../incident-words.ts';
import { SEVERITY_CHOICES } from '../incidents-search.ts';
import { AssignDialog, MergeDialog, ResolveDialog } from './incident-dialogs.tsx';
import { useIncidentChange } from './use-incident-change.ts';

type Open = 'resolve' | 'reopen' | 'assign' | 'merge' | undefined;

/** One primary act, what comes next in its life; the rest beside it. Without the permission each says why it is off. */
export function IncidentActs({ incident }: { incident: Incident }) {
  const may = useMay('incident.write');
  const [open, setOpen] = useState<Open>();
  const acknowledge = useIncidentChange('incidents.acknowledge');
  const unavailable = may ? undefined : refusalWords('incident.write');
  const isOver = incident.status === 'resolved';
  const close = (): void => setOpen(undefined);
  return (
    <>
      {incident.status === 'open' ? (
        <Button
          look="primary"
          icon="check"
          busy={acknowledge.isPending}
          unavailable={unavailable}
          onClick={() => acknowledge.mutate({ id: incident.id })}
        >
          Acknowledge
        </Button>
      ) : null}
      {isOver ? (
        <Button look="primary" icon="update" unavailable={unavailable} onClick={() => setOpen('reopen')}>
          Reopen
        </Button>
      ) : (
        <Button
          look={incident.status === 'acknowledged' ? 'primary' : 'default'}
          icon="check"
          unavailable={unavailable}
          onClick={() => setOpen('resolve')}
        >
          Resolve
        </Button>
      )}
      {isOver ? null : <TakeOver incident={incident} unavailable={unavailable} />}
      <MoreActs incident={incident} unavailable={unavailable} onOpen={setOpen} />
      {acknowledge.error ? <p className="err s">{acknowledge.error.message}</p> : null}
      {open === 'resolve' || open === 'reopen' ? <ResolveDialog verb={open} incident={incident} onClose={close} /> : null}
      {open === 'assign' ? <AssignDialog incident={incident} onClose={close} /> : null}
      {open === 'merge' ? <MergeDialog incident={incident} onClose={close} /> : null}
    </>
  );
}

interface ActProps {
  incident: Incident;
  unavailable: string | undefined;
}

function TakeOver({ incident, unavailable }: ActProps) {
  const me = useQuery(meQuery).data?.account.id;
  const assign = useIncidentChange('incidents.assign');
  if (!me || incident.assigned_to?.id === me) return null;
  return (
    <Button
      icon="person"
      busy={assign.isPending}
      unavailable={unavailable}
      title="You have it from now on"
      onClick={() => assign.mutate({ id: incident.id, account: me })}
    >
      Take over
    </Button>
  );
}

function MoreActs({ incident, unavailable, onOpen }: ActProps & { onOpen: (open: Open) => void }) {
  const severity = useIncidentChange('incidents.setSeverity');
  const item = (label: ReactNode, act: () => void, isCurrent?: boolean) => (
    <li>
      <button type="button" className="opt" aria-current={isCurrent} onClick={act}>
        {label}
      </button>
    </li>
  );
  return (
    <Pop
      position="bottom-end"
      target={(open, toggle) => (
        <Button aria-expanded={open} aria-haspopup="true" unavailable={unavailable} onClick={toggle}>
          More <Icon name="down" size={12} />
        </Button>
      )}
    >
      {(close) => {
        const then = (act: () => void) => () => {
          close();
          act();
        };
        const choose = (value: Incident['severity'] | null) => then(() => severity.mutate({ id: incident.id, severity: value }));
        return (
          <ul className="list">
            {SEVERITY_CHOICES.map((name) => (
              <li key={name}>
                <button type="button" className="opt" aria-current={incident.severity === name} onClick={choose(name)}>
                  Severity: {SEVERITY_NAMES[name]}
                </button>
              </li>
            ))}
            {incident.severity_set_by ? item('Severity: as its signals say', choose(null)) : null}
            {item(
              'Give to somebody…',
              then(() => onOpen('assign')),
            )}
            {item(
              'Merge into another…',
              then(() => onOpen('merge')),
            )}
          </ul>
        );
      }}
    </Pop>
  );
}
