import type { OutboxMessage } from '@svc/contracts/notify/outbox';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { IconButton } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { PROVIDER_NAMES } from '../../../ui/notify/provider-mark.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Clipped } from '../../../ui/table/clipped.tsx';
import { ACTIONS, type Column, ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { External } from './external.tsx';
import { MessageDetail } from './message-detail.tsx';
import type { OutboxSearch } from './outbox-search.ts';
import { causeWords, STATE_ICONS, STATE_NAMES, shortKey, shortWhy } from './outbox-words.ts';

const COLUMNS: readonly Column[] = [
  ...['Queued', 'Incident', 'What', 'To', 'Dedup key'],
  numeric('Attempts'),
  ...['Last answer', 'State'],
  ACTIONS,
];
const GHOSTS = ['a', 'b', 'c', 'd', 'e', 'f'];

interface TableProps {
  items: readonly OutboxMessage[] | undefined;
  /** The message that stands open. */
  open: string | undefined;
  /** Somebody points at it: no row moves. */
  onHeld: (isHeld: boolean) => void;
}

/** Messages, each with what can be done about it one click away. */
export function OutboxTable({ items, open, onHeld }: TableProps) {
  const now = useNow(5_000);
  return (
    <ScrollX label="Outbox">
      <table
        className="obx-table"
        aria-busy={items === undefined}
        onPointerEnter={() => onHeld(true)}
        onPointerLeave={() => onHeld(false)}
      >
        <ColumnHeads columns={COLUMNS} />
        <tbody>
          {items?.map((item) => <Row key={item.id} item={item} isOpen={item.id === open} now={now} />) ??
            GHOSTS.map((key) => (
              <tr key={key}>
                <td colSpan={COLUMNS.length}>
                  <Ghost width="60%" />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function Row({ item, isOpen, now }: { item: OutboxMessage; isOpen: boolean; now: number }) {
  const change = useSearchChange<OutboxSearch>();
  const { incident, connector, said, external } = item;
  const what = causeWords(item);
  const panel = `message-${item.id}`;
  return (
    <Fragment>
      <tr className={isOpen ? 'obx-open' : undefined}>
        <td>
          <Time at={item.created_at} show="second" now={now} className="num" />
        </td>
        <td>
          <Link to="/incidents/$id" params={{ id: incident.id }} title={incident.title}>
            {incident.number}
          </Link>
        </td>
        <td>{what}</td>
        <td>
          <b className="med">{connector.name}</b>
          <small>{PROVIDER_NAMES[connector.provider]}</small>
        </td>
        <td className="mono" title={item.dedup_key}>
          {shortKey(item.dedup_key)}
        </td>
        <td className="n">{item.attempts}</td>
        <td>
          {said ? (
            <Clipped text={said} width={200} />
          ) : (
            <span className="mute">{item.attempts === 0 ? 'not sent' : 'no answer'}</span>
          )}
          {external ? <External external={external} /> : null}
        </td>
        <td>
          <State item={item} now={now} />
        </td>
        <td>
          <IconButton
            icon={isOpen ? 'up' : 'down'}
            label={`${what}, to ${connector.name}: ${isOpen ? 'less' : 'more'}`}
            aria-expanded={isOpen}
            aria-controls={isOpen ? panel : undefined}
            onClick={() => change({ message: isOpen ? undefined : item.id }, 'typing')}
          />
        </td>
      </tr>
      {isOpen ? (
        <tr className="obx-more" id={panel}>
          <td colSpan={COLUMNS.length}>
            <MessageDetail item={item} />
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}

function State({ item, now }: { item: OutboxMessage; now: number }) {
  const { state, attempts, next_at: nextAt, possible_repeats: repeats } = item;
  const why = shortWhy(item);
  return (
    <span className={`obx-state ${state}`}>
      <Icon name={STATE_ICONS[state]} size={14} />
      <span>
        {state === 'waiting' && attempts > 0 ? 'Retrying' : STATE_NAMES[state]}
        {state === 'waiting' && nextAt ? (
          <>
            , next <Time at={nextAt} show="second" now={now} className="num" />
          </>
        ) : null}
        {why ? <small>{why}</small> : null}
        {repeats > 0 ? <small>{repeats === 1 ? 'possible repeat' : `${repeats} possible repeats`}</small> : null}
      </span>
    </span>
  );
}
