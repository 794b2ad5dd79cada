import type { IncidentNotice } from '@svc/contracts/notify/outbox';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { ask } from '../../../api.ts';
import { POLL_MS } from '../../../queries.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { PROVIDER_NAMES, ProviderMark } from '../../../ui/notify/provider-mark.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { describeNotice, describePending, type NoticePart, stateNow } from './notice-words.ts';

/** While something is on its way somebody looks. */
const SOON_MS = 3_000;

const isOnItsWay = ({ open_message: message, told }: IncidentNotice): boolean => message !== null || told === 'waiting';

/** Who was told of the incident elsewhere, what became of it there, and what is not said yet. */
export function NoticesCard({ incident }: { incident: string }) {
  const notices = useQuery({
    queryKey: ['notify.ofIncident', incident],
    queryFn: ({ signal }) => ask('notify.ofIncident', { id: incident }, signal),
    refetchInterval: ({ state }) => (state.data?.items.some(isOnItsWay) ? SOON_MS : POLL_MS),
  });
  const items = notices.data?.items;
  return (
    <section className="card" aria-labelledby="told-h">
      <header>
        <h2 id="told-h">Who was told</h2>
        {items && items.length > 0 ? <span className="s mute">one object at each, at most</span> : null}
        <span className="grow" />
        <Link to="/notify/outbox" search={{ incident }} className="s">
          Outbox
        </Link>
      </header>
      {items ? (
        <Notices items={items} />
      ) : notices.isError ? (
        <Failure error={notices.error} retry={() => void notices.refetch()} />
      ) : (
        <p className="body">
          <Ghost width="70%" says="Who was told, loading" />
        </p>
      )}
    </section>
  );
}

function Notices({ items }: { items: readonly IncidentNotice[] }) {
  if (items.length === 0)
    return (
      <p className="body s mute">
        Nobody outside was told: no connector, or no rule that fits. <Link to="/notify">Connectors and rules</Link>
      </p>
    );
  return (
    <ul className="inc-told" aria-live="polite">
      {items.map((notice) => (
        <Notice key={notice.connector.id} notice={notice} />
      ))}
    </ul>
  );
}

function Notice({ notice }: { notice: IncidentNotice }) {
  const { connector, note, possible_repeats: repeats } = notice;
  const { icon, word, isBad } = stateNow(notice);
  const pending = describePending(notice);
  const provider = PROVIDER_NAMES[connector.provider];
  return (
    <li>
      <ProviderMark provider={connector.provider} />
      <span>
        <b className="med">{connector.name}</b>
        {connector.name === provider ? null : <small>{provider}</small>}
      </span>
      <p>
        <Parts parts={describeNotice(notice)} />
        {pending.length > 0 ? (
          <small>
            <Parts parts={pending} />
          </small>
        ) : null}
        {note ? <small>{note}</small> : null}
        {repeats > 0 ? <small>{repeats === 1 ? 'Possible repeat' : `${repeats} possible repeats`}</small> : null}
      </p>
      <span className={isBad ? 'inc-state on' : 'inc-state'}>
        <Icon name={icon} size={14} /> {word}
      </span>
    </li>
  );
}

const keyOf = (part: NoticePart): string => (typeof part === 'string' ? part : 'at' in part ? part.at : part.url);

function Parts({ parts }: { parts: readonly NoticePart[] }) {
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same moment may be told twice; the order never changes.
    <Fragment key={`${at}/${keyOf(part)}`}>
      {typeof part === 'string' ? (
        part
      ) : 'at' in part ? (
        <Time at={part.at} show="second" className="num" />
      ) : (
        <a href={part.url} target="_blank" rel="noreferrer">
          {part.label}
        </a>
      )}
    </Fragment>
  ));
}
