import type { IncidentView } from '@svc/contracts/incidents/incident';
import { useId } from 'react';
import { Button } from '../../../ui/controls/controls.tsx';
import { DraftNote } from '../../../ui/draft/draft-note.tsx';
import { useDraft } from '../../../ui/draft/use-draft.ts';
import { Time } from '../../../ui/moments/time.tsx';
import { useMay } from '../../../ui/permission/use-may.ts';
import { personName } from '../incident-words.ts';
import { useIncidentChange } from './use-incident-change.ts';

const MAX_COMMENT = 4000;

/** What people say about it; Ctrl Enter sends. */
export function CommentsCard({ view: { incident, entries } }: { view: IncidentView }) {
  const comments = entries.filter(({ kind }) => kind === 'commented').toSorted((a, b) => a.at.localeCompare(b.at));
  const may = useMay('incident.write');
  return (
    <section className="card" aria-labelledby="comments-h">
      <header>
        <h2 id="comments-h">Comments</h2>
        <span className="s mute">{comments.length === 0 ? 'none yet' : comments.length}</span>
      </header>
      <ul className="inc-comments">
        {comments.map((entry) => (
          <li key={entry.id}>
            <p>
              <b className="med">{personName(entry.actor)}</b> <Time at={entry.at} className="mute s num" />
            </p>
            <p className="soft inc-said">{entry.detail}</p>
          </li>
        ))}
      </ul>
      {may ? (
        <Compose id={incident.id} />
      ) : (
        <p className="body s mute">Your roles let you read incidents, not comment on them.</p>
      )}
    </section>
  );
}

function Compose({ id }: { id: string }) {
  const field = useId();
  const draft = useDraft(`incident-comment-${id}`, { text: '' });
  const comment = useIncidentChange('incidents.comment', () => {
    draft.change({ text: '' });
    draft.clear();
  });
  const text = draft.value.text.trim();
  const send = (): void => {
    if (text !== '' && !comment.isPending) comment.mutate({ id, text });
  };
  return (
    <form
      className="inc-compose"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <DraftNote draft={draft} />
      <label className="sr" htmlFor={field}>
        Comment
      </label>
      <textarea
        id={field}
        className="input"
        rows={3}
        maxLength={MAX_COMMENT}
        placeholder="What do you see?"
        value={draft.value.text}
        onChange={(event) => draft.change({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
        }}
      />
      {comment.error ? (
        <p className="err s" role="alert">
          {comment.error.message}
        </p>
      ) : null}
      <div className="row">
        <span className="s mute grow">Seen by everyone who may read incidents. Ctrl Enter sends.</span>
        <Button type="submit" busy={comment.isPending} unavailable={text === '' ? 'Write something first.' : undefined}>
          Comment
        </Button>
      </div>
    </form>
  );
}
