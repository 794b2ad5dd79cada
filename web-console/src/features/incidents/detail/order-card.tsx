import type { IncidentEntry, IncidentView } from '@svc/contracts/incidents/incident';
import type { Signal } from '@svc/contracts/incidents/signal';
import { useState } from 'react';
import { Button, Segments } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { ToldSentence } from '../../../ui/moments/told-sentence.tsx';
import { useMay } from '../../../ui/permission/use-may.ts';
import { describeEntry, ENTRY_ICONS, PLANE_ICONS, PLANE_NAMES, partOf, personName } from '../incident-words.ts';
import { RemoveSignal } from './incident-dialogs.tsx';
import { SignalLink } from './signal-link.tsx';

type Part = 'all' | 'signals' | 'people';

/** Who and what did what, newest first. */
export function OrderCard({ view }: { view: IncidentView }) {
  const [part, setPart] = useState<Part>('all');
  const [removing, setRemoving] = useState<string>();
  const entries = view.entries.toSorted((a, b) => b.at.localeCompare(a.at));
  const of = (name: Part): number => (name === 'all' ? entries.length : entries.filter((entry) => partOf(entry) === name).length);
  const shown = part === 'all' ? entries : entries.filter((entry) => partOf(entry) === part);
  const signals = new Map(view.signals.map((signal) => [signal.id, signal]));
  return (
    <section className="card" aria-labelledby="order-h">
      <header>
        <h2 id="order-h">In order</h2>
        <span className="s mute">newest first</span>
        <span className="grow" />
        <Segments
          label="What is shown"
          options={[
            { value: 'all', label: `All ${of('all')}` },
            { value: 'signals', label: `Signals ${of('signals')}` },
            { value: 'people', label: `People ${of('people')}` },
          ]}
          value={part}
          onChange={setPart}
        />
      </header>
      {shown.length === 0 ? <p className="body s mute">Nobody has done anything yet.</p> : null}
      <ol className="inc-order">
        {shown.map((entry) => (
          <Entry
            key={entry.id}
            entry={entry}
            signal={entry.signal_id ? signals.get(entry.signal_id) : undefined}
            mayRemove={view.signals.length > 1 && view.incident.status !== 'resolved'}
            onRemove={setRemoving}
          />
        ))}
      </ol>
      {removing ? <RemoveSignal view={view} signalId={removing} onClose={() => setRemoving(undefined)} /> : null}
    </section>
  );
}

interface EntryProps {
  entry: IncidentEntry;
  signal: Signal | undefined;
  mayRemove: boolean;
  onRemove: (id: string) => void;
}

const isOfSignal = ({ kind }: IncidentEntry): boolean => kind === 'opened' || kind === 'signal_joined';

function Entry({ entry, signal, mayRemove, onRemove }: EntryProps) {
  const may = useMay('incident.write');
  const who = signal && partOf(entry) === 'signals' ? PLANE_NAMES[signal.plane] : personName(entry.actor);
  // Words of ours begin the line with a capital; a name or an address of a person is as they write it.
  const isOurs = entry.actor === null || entry.actor.id === 'system';
  const icon = signal && isOfSignal(entry) ? PLANE_ICONS[signal.plane] : ENTRY_ICONS[entry.kind];
  return (
    <li>
      <Time at={entry.at} show="second" className="num mute" />
      <Icon name={icon} size={14} />
      <span>
        <b className="med">{isOurs ? who.charAt(0).toUpperCase() + who.slice(1) : who}</b>{' '}
        <span className="soft">{describeEntry(entry, signal)}</span>
        {signal && isOfSignal(entry) ? (
          <small>
            {signal.kind}
            {signal.summary ? (
              <>
                : <ToldSentence text={signal.summary} />
              </>
            ) : null}{' '}
            <SignalLink signal={signal} />
          </small>
        ) : null}
      </span>
      {signal && may && mayRemove && entry.kind === 'signal_joined' ? (
        <Button look="plain" title="It is about something else" onClick={() => onRemove(signal.id)}>
          Take out
        </Button>
      ) : null}
    </li>
  );
}
