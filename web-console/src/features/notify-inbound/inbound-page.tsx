import './inbound.css';
import type { InboundWebhook } from '@svc/contracts/notify/inbound';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Time, useNow } from '../../ui/moments/time.tsx';
import { MAY_NOT } from '../../ui/notify/may-not.ts';
import { inboundQuery } from '../../ui/notify/notify-queries.ts';
import { NotifyTabs } from '../../ui/notify/notify-tabs.tsx';
import { PROVIDER_NAMES, ProviderMark } from '../../ui/notify/provider-mark.tsx';
import { useMay } from '../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { INBOUND_FORM, NewInbound } from './inbound-form.tsx';
import { describeInbound, REFUSAL_WORDS } from './inbound-words.ts';

/** A first delivery is seen at once. */
const EVERY_MS = 3_000;

const COLUMNS: readonly Column[] = ['Webhook', 'Of connector', 'Last delivery', numeric('Deliveries'), 'Refused in 30 days'];

/** Who tells what was acknowledged or resolved elsewhere, and what came by whom. */
export function InboundPage() {
  const list = useQuery({ ...inboundQuery, refetchInterval: EVERY_MS });
  const mayWrite = useMay('settings.write');
  const [isMaking, setMaking] = useDraftOpen(INBOUND_FORM);
  const items = list.data?.items;
  return (
    <div className="page wide">
      <header className="pagehead">
        <div className="grow">
          <h1 aria-live="polite">{items ? describeInbound(items) : <Ghost width={360} says="Inbound webhooks, loading" />}</h1>
          <p className="soft">
            What is acknowledged or resolved in PagerDuty, Opsgenie, ServiceNow or Jira is so here, and at all other connectors.
          </p>
        </div>
        <Button look="primary" icon="plus" unavailable={mayWrite ? undefined : MAY_NOT} onClick={() => setMaking(true)}>
          New webhook
        </Button>
      </header>
      <NotifyTabs />
      <section className="card" aria-label="Inbound webhooks">
        {list.isError && !items ? (
          <Failure error={list.error} retry={() => void list.refetch()} />
        ) : items?.length === 0 ? (
          <EmptyState icon="link" title="No inbound webhook yet">
            <p>
              Create one, and give its address and secret to the other side. The page shows the steps, and the script to paste.
            </p>
          </EmptyState>
        ) : (
          <InboundTable items={items} />
        )}
      </section>
      {isMaking ? <NewInbound onClose={() => setMaking(false)} /> : null}
    </div>
  );
}

function InboundTable({ items }: { items: readonly InboundWebhook[] | undefined }) {
  const now = useNow(5_000);
  return (
    <ScrollX label="Inbound webhooks">
      <table className="inb-table" aria-busy={items === undefined}>
        <ColumnHeads columns={COLUMNS} />
        <tbody>
          {items?.map((item) => <Row key={item.id} item={item} now={now} />) ?? (
            <tr>
              <td colSpan={COLUMNS.length}>
                <Ghost width={480} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </ScrollX>
  );
}

function Row({ item, now }: { item: InboundWebhook; now: number }) {
  const [refusal] = item.refusals;
  const refused = item.refusals.reduce((sum, { count }) => sum + count, 0);
  return (
    <tr>
      <td>
        <span className="row">
          <ProviderMark provider={item.provider} />
          <span>
            <Link to="/notify/inbound/$id" params={{ id: item.id }}>
              {item.name}
            </Link>
            <small>{PROVIDER_NAMES[item.provider]}</small>
          </span>
        </span>
      </td>
      <td>{item.connector?.name ?? <span className="mute">any of {PROVIDER_NAMES[item.provider]}</span>}</td>
      <td>
        {item.last_delivery_at ? (
          <>
            <Time at={item.last_delivery_at} show="ago" now={now} /> ago
          </>
        ) : (
          <span className="v">
            <Icon name="pending" size={14} /> waiting for the first
          </span>
        )}
      </td>
      <td className="n">{formatCount(item.deliveries)}</td>
      <td>
        {refusal ? (
          <>
            {formatCount(refused)}
            {item.refusals.length > 1 ? ', last' : ''}: {REFUSAL_WORDS[refusal.reason].why.toLowerCase()}
          </>
        ) : (
          <span className="mute">nothing</span>
        )}
      </td>
    </tr>
  );
}
