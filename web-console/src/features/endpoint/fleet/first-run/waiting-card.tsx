import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../../../ui/controls/icons.tsx';
import { useNow } from '../../../../ui/moments/time.tsx';
import { Ghost } from '../../../../ui/placeholders/empty-state.tsx';
import { formatDuration } from '../../../../ui/words/format.ts';

type StepState = 'done' | 'current' | 'later';

interface StepProps {
  state: StepState;
  word: string;
  note?: string;
  hint?: string;
}

function Step({ state, word, note, hint }: StepProps) {
  const classes = { done: 'done', current: 'cur', later: undefined };
  return (
    <li className={classes[state]} aria-current={state === 'current' ? 'step' : undefined}>
      {state === 'done' ? <Icon name="check" size={14} /> : <i />}
      <span>
        {state === 'current' ? <b>{word}</b> : word}
        {note ? <small>{note}</small> : null}
      </span>
      <span className="mute">{hint ?? ''}</span>
    </li>
  );
}

export interface Progress {
  /** Enrolled. */
  devices: number;
  /** Of these, in contact within the last 10 minutes. */
  reporting: number;
  /** Of these, with a verdict. */
  judged: number;
}

function describeWait({ devices, reporting, judged }: Progress): string {
  if (judged > 0) return judged === 1 ? 'The first verdict is here' : 'The first verdicts are here';
  if (reporting > 0) return 'Waiting for the first verdict';
  return devices > 0 ? 'Waiting for its first contact' : 'Waiting for the first device';
}

/** Live while the first device is awaited: what the server has seen so far, and what to look at when nothing comes. */
export function WaitingCard(progress: Progress) {
  const { devices, reporting, judged } = progress;
  const now = useNow(1000);
  const [since] = useState(now);
  const waited = now - since;
  const enrolled = devices > 0;
  return (
    <aside className="card live" aria-live="polite" aria-label="Progress of the first device">
      <header>
        <span className="mark-live" />
        <h2>{describeWait(progress)}</h2>
        <span className="grow" />
        {judged > 0 ? null : (
          <span className="s mute num" aria-live="off">
            {waited < 60_000 ? `${Math.floor(waited / 1000)} s` : formatDuration(waited)}
          </span>
        )}
      </header>
      <ol className="ladder">
        <Step
          state={enrolled ? 'done' : 'current'}
          word={enrolled ? 'Enrolled, certificate issued' : 'An agent enrols'}
          {...(enrolled ? {} : { note: 'None yet, from any address.' })}
        />
        <Step
          state={reporting > 0 || judged > 0 ? 'done' : enrolled ? 'current' : 'later'}
          word="First contact: Wi-Fi and gateway"
          {...(reporting > 0 || judged > 0 ? {} : { hint: 'about 60 s later' })}
        />
        <Step
          state={judged > 0 ? 'done' : reporting > 0 ? 'current' : 'later'}
          word="First verdict, in the fleet"
          {...(judged > 0 ? {} : { hint: 'about 90 s later' })}
        />
      </ol>
      {judged > 0 ? <FleetLink /> : reporting > 0 ? null : <Help />}
    </aside>
  );
}

function FleetLink() {
  return (
    <div className="hint">
      <Link to="/fleet">Open the fleet</Link>
    </div>
  );
}

function Help() {
  return (
    <>
      <div className="hint">
        <b>Still nothing after both commands?</b>
        <p>
          From that device, this server’s ports for the console and for agents must be reachable.{' '}
          <code className="mono nowrap">svc-agent diagnose</code> shows what can be measured there and what stops the rest.
        </p>
      </div>
      <div className="ghostrow">
        <p className="xs mute">The row you will see here</p>
        <div className="row">
          <Ghost width={88} />
          <Ghost width={56} />
          <Ghost width={92} />
          <Ghost width={72} />
        </div>
      </div>
    </>
  );
}
