import type { OutboxMessage } from '@svc/contracts/notify/outbox';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { tell } from '../../../api.ts';
import { Button, CopyButton } from '../../../ui/controls/controls.tsx';
import { ConfirmChange } from '../../../ui/dialogs/dialogs.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { MAY_NOT } from '../../../ui/notify/may-not.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { External } from './external.tsx';
import { describeState, mayGiveUp, mayRetry } from './outbox-words.ts';

const LIST = ['notify.outbox.list'];

/** One message in full: what became of it, in whose words, and what a person can do. */
export function MessageDetail({ item }: { item: OutboxMessage }) {
  const { incident, said, external, dedup_key: key, actor } = item;
  return (
    <div className="obx-detail">
      <p>
        {describeState(item)} <Deadline item={item} />
      </p>
      <dl className="s">
        <Fact term="Incident">
          <Link to="/incidents/$id" params={{ id: incident.id }}>
            {incident.number}: {incident.title}
          </Link>
        </Fact>
        <Fact term="Because of">{actor.name === 'system' ? 'the system' : actor.name}</Fact>
        <Fact term="Last answer">{said || <span className="mute">none</span>}</Fact>
        {external?.label || external?.url ? (
          <Fact term="There">
            <External external={external} />
          </Fact>
        ) : null}
        <Fact term="Dedup key">
          <span className="mono">{key}</span> <CopyButton text={key} label="Copy key" />
        </Fact>
        <Fact term="Times">
          queued <Time at={item.created_at} show="second" />
          {item.tried_at ? (
            <>
              , last tried <Time at={item.tried_at} show="second" />
            </>
          ) : null}
          {item.done_at ? (
            <>
              , done <Time at={item.done_at} show="second" />
            </>
          ) : null}
        </Fact>
      </dl>
      <Acts item={item} />
    </div>
  );
}

const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </>
);

function Deadline({ item: { state, next_at: nextAt, expires_at: end } }: { item: OutboxMessage }) {
  if (state !== 'waiting' && state !== 'confirming') return null;
  return (
    <>
      {nextAt ? (
        <>
          Next at <Time at={nextAt} show="second" />, as its connector permits.{' '}
        </>
      ) : null}
      It is dead <Time at={end} /> if nothing helps.
    </>
  );
}

function Acts({ item }: { item: OutboxMessage }) {
  const mayWrite = useMay('settings.write');
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [did, setDid] = useState<{ words: string; of: string }>();
  // While somebody points at the list a row keeps what it was, and what was done here is said here.
  const now = `${item.state} ${item.attempts} ${item.tried_at}`;
  const retry = useMutation({
    mutationFn: () => tell('notify.outbox.retry', { id: item.id }),
    onSuccess: async () => {
      setDid({ words: 'It is on its way again.', of: now });
      await queryClient.invalidateQueries({ queryKey: LIST });
    },
  });
  const denied = mayWrite ? undefined : MAY_NOT;
  if (did?.of === now) return <Done words={did.words} />;
  if (!mayRetry(item) && !mayGiveUp(item)) return null;
  return (
    <div className="row obx-acts">
      {mayRetry(item) ? (
        <Button icon="update" busy={retry.isPending} unavailable={denied} onClick={() => retry.mutate()}>
          {item.state === 'waiting' ? 'Retry now' : 'Send again'}
        </Button>
      ) : null}
      {mayGiveUp(item) ? (
        <Button look="quiet" unavailable={denied} onClick={() => setAsking(true)}>
          Give up
        </Button>
      ) : null}
      {denied ? <span className="s mute">{denied}</span> : null}
      {retry.error ? (
        <span className="s err" role="alert">
          {retry.error.message}
        </span>
      ) : null}
      {isAsking ? (
        <ConfirmChange
          title="Give this message up?"
          action="Give up"
          change={async () => {
            await tell('notify.outbox.giveUp', { id: item.id });
            setDid({ words: 'It is given up.', of: now });
          }}
          list={LIST}
          onClose={() => setAsking(false)}
        >
          {item.connector.name} does not learn this of {item.incident.title}. What comes after it about this incident goes on. It
          can be sent again by hand later.
        </ConfirmChange>
      ) : null}
    </div>
  );
}

/** In the place of the button that was used, which takes the focus along. */
function Done({ words }: { words: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  // Once: whoever goes on from here is not called back when the list is read again.
  useEffect(() => line.current?.focus({ preventScroll: true }), []);
  return (
    <p role="status" className="med" tabIndex={-1} ref={line}>
      {words}
    </p>
  );
}
