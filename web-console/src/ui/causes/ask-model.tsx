import type { ModelAnswer, ModelPreview } from '@svc/contracts/causes/model-answer';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../api.ts';
import { Button } from '../controls/controls.tsx';
import { Dialog } from '../dialogs/dialog.tsx';
import { Ghost } from '../placeholders/empty-state.tsx';
import { describeFailure } from '../placeholders/failure.tsx';

/** Shows what a model would be sent, and asks it where it may be asked; its answer is marked as a model's. */
export function AskModel({ incidentId }: { incidentId: string }) {
  const [isOpen, setOpen] = useState(false);
  const asking = useMutation({
    mutationFn: (input: { id: string; version: number }) => tell('causes.ask', input),
    onSuccess: () => setOpen(false),
  });
  return (
    <div className="cause-model">
      <Button onClick={() => setOpen(true)}>What a model would be sent</Button>
      {asking.data ? <Answered answer={asking.data} /> : null}
      <Dialog open={isOpen} title="What a model would be sent" onClose={() => setOpen(false)} size={720}>
        {isOpen ? (
          <Preview
            incidentId={incidentId}
            busy={asking.isPending}
            error={asking.isError ? describeFailure(asking.error).text : undefined}
            onAsk={(version) => asking.mutate({ id: incidentId, version })}
          />
        ) : null}
      </Dialog>
    </div>
  );
}

interface PreviewProps {
  incidentId: string;
  busy: boolean;
  error: string | undefined;
  onAsk: (version: number) => void;
}

function Preview({ incidentId, busy, error, onAsk }: PreviewProps) {
  const preview = useQuery({
    queryKey: ['causes.preview', incidentId],
    queryFn: ({ signal }) => ask('causes.preview', { id: incidentId }, signal),
    staleTime: 0,
  });
  if (preview.isError) return <p role="alert">It could not be made. {describeFailure(preview.error).text}</p>;
  if (!preview.data)
    return (
      <p>
        <Ghost width={320} says="The question, loading" />
      </p>
    );
  const { system, prompt, version, may_ask: mayAsk } = preview.data;
  return (
    <>
      <p className="soft">{whoIsAsked(preview.data)}</p>
      <p className="s mute">{maskedWords(preview.data)}</p>
      <section aria-label="The question">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard */}
        <pre className="cause-prompt" tabIndex={0}>
          {`${system}\n\n${prompt}`}
        </pre>
      </section>
      {error ? (
        <p className="err" role="alert">
          {error} The explanation by rules stays as it is.
        </p>
      ) : null}
      {mayAsk ? (
        <div className="dlg-foot">
          <Button look="primary" busy={busy} onClick={() => onAsk(version)}>
            Ask the model
          </Button>
        </div>
      ) : null}
    </>
  );
}

function whoIsAsked({ configured, may_ask: mayAsk, is_local: isLocal, model, host }: ModelPreview): string {
  if (!configured) return 'No model is configured, so nothing is sent. An operator can set one for the server.';
  if (!mayAsk) return `${model} at ${host} is not asked: this tenant has not consented to sending telemetry there.`;
  return isLocal
    ? `${model} runs on the server itself: nothing leaves it.`
    : `This would be sent to ${model} at ${host}, and nothing else.`;
}

const CATEGORIES: Readonly<Record<ModelPreview['masked'][number]['category'], string>> = {
  ...{ ip_address: 'addresses', email: 'e-mail addresses', geo: 'places', mac_address: 'MAC addresses', hostname: 'host names' },
  ...{ user_agent: 'browsers', asn: 'networks', credential: 'credentials' },
};

function maskedWords({ masked }: ModelPreview): string {
  if (masked.length === 0) return 'Nothing in it had to be masked.';
  return `Masked in it: ${masked.map(({ category, count }) => `${count} ${CATEGORIES[category]}`).join(', ')}.`;
}

function Answered({ answer: { sentences, dropped, model } }: { answer: ModelAnswer }) {
  return (
    <section aria-label="Answer of a model">
      <p className="s mute">
        Written by a model ({model}), not checked by anybody.
        {dropped > 0 ? ` ${dropped} of its sentences were dropped: they cited nothing that is there.` : ''}
      </p>
      {sentences.length === 0 ? (
        <p>Nothing of its answer holds. The explanation by rules stays.</p>
      ) : (
        <ul>
          {sentences.map(({ text, evidence }) => (
            <li key={text}>
              {text} <span className="mute">{evidence.join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
