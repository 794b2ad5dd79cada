import type { Connector } from '@svc/contracts/notify/connector';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Sentence } from '../../ui/moments/sentence.tsx';
import { Time, useNow } from '../../ui/moments/time.tsx';
import { ProviderMark } from '../../ui/notify/provider-mark.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount, formatMs } from '../../ui/words/format.ts';
import { ConnectorDetail } from './connector-detail.tsx';
import { CONDITION_ICONS, conditionOf, isTrouble, stateParts } from './connector-words.ts';
import { WayBack } from './way-back.tsx';

const COLUMNS: readonly Column[] = [
  ...['Connector', 'State', 'Last answer'],
  ...[
    numeric('Sent, 24 h'),
    numeric('Waiting'),
    numeric('Dead', { title: 'Refused, or a day old: never sent unless somebody sends them again' }),
    numeric('p95 to send', { title: 'From the incident to the answer, in 24 h' }),
  ],
  'Comes back',
];

interface TableProps {
  items: readonly Connector[] | undefined;
  /** The id of the one that is opened. */
  open: string | undefined;
  onOpen: (id: string | undefined) => void;
}

/** One row each; the one that is opened carries what it is set to and what can be done with it. */
export function ConnectorsTable({ items, open, onOpen }: TableProps) {
  const now = useNow(5_000);
  return (
    <div className="nfy-list">
      <ScrollX label="Connectors">
        <table aria-busy={items === undefined}>
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {items?.map((connector) => {
              const isOpen = connector.id === open;
              return [
                <Row
                  key={connector.id}
                  connector={connector}
                  now={now}
                  isOpen={isOpen}
                  onToggle={() => onOpen(isOpen ? undefined : connector.id)}
                />,
                isOpen ? (
                  <tr key={`${connector.id} detail`} className="nfy-det">
                    <td colSpan={COLUMNS.length}>
                      <ConnectorDetail connector={connector} onGone={() => onOpen(undefined)} />
                    </td>
                  </tr>
                ) : null,
              ];
            }) ?? (
              <tr>
                <td colSpan={COLUMNS.length}>
                  <Ghost width={560} />
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </ScrollX>
    </div>
  );
}

interface RowProps {
  connector: Connector;
  now: number;
  isOpen: boolean;
  onToggle: () => void;
}

function Row({ connector, now, isOpen, onToggle }: RowProps) {
  const { name, provider, provider_name: providerName, source } = connector;
  return (
    <tr className={isOpen ? 'nfy-open' : undefined}>
      <td className="nfy-two">
        <button type="button" className="nfy-toggle" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? 'down' : 'right'} size={14} />
          <ProviderMark provider={provider} />
          <span>
            <span className="med">{name}</span>
            <small>{source === 'configuration' ? `${providerName}, by SVC_NOTIFY_CONNECTORS` : providerName}</small>
          </span>
        </button>
      </td>
      <td>
        <State connector={connector} />
      </td>
      <td className="nfy-two nfy-answer" title={connector.last_answer}>
        {connector.last_answer_at === null ? (
          <span className="mute">none yet</span>
        ) : (
          <>
            <span className="nfy-said">{connector.last_answer || 'without words'}</span>
            <small>
              <Time at={connector.last_answer_at} show="second" now={now} />
            </small>
          </>
        )}
      </td>
      <td className="n">{formatCount(connector.sent_24h)}</td>
      <td className="n">{connector.waiting === 0 ? <span className="mute">0</span> : formatCount(connector.waiting)}</td>
      <td className="n">
        {connector.dead === 0 ? <span className="mute">0</span> : <b className="med">{formatCount(connector.dead)}</b>}
      </td>
      <td className="n">{connector.p95_ms === null ? <span className="mute">none sent</span> : formatMs(connector.p95_ms)}</td>
      <td>
        <WayBack connector={connector} />
      </td>
    </tr>
  );
}

function State({ connector }: { connector: Connector }) {
  const condition = conditionOf(connector);
  return (
    <span className={isTrouble(condition) ? 'nfy-state on bad' : 'nfy-state'}>
      <Icon name={CONDITION_ICONS[condition]} size={14} />
      <span>
        <Sentence parts={stateParts(connector)} />
      </span>
    </span>
  );
}
