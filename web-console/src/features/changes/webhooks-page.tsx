import './changes-page.css';
import type { Webhook } from '@svc/contracts/changes/webhook';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Time, useNow } from '../../ui/moments/time.tsx';
import { refusalWords } from '../../ui/permission/permission-words.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { PROVIDER_NAMES } from './recipes.ts';
import { NewWebhook, WEBHOOK_FORM } from './webhook-form.tsx';
import { describeWebhooks, REFUSAL_WORDS } from './webhook-words.ts';

/** A first delivery is seen at once. */
const EVERY_MS = 3_000;

const COLUMNS: readonly Column[] = [
  ...['Name', 'From', 'Last delivery'],
  ...[numeric('Deliveries'), numeric('Changes'), numeric('Without a target')],
  'Refused in 30 days',
];

/** Who tells of changes, and what came by whom. */
export function WebhooksPage() {
  const list = useQuery({
    queryKey: ['changes.webhooks.list'],
    queryFn: ({ signal }) => ask('changes.webhooks.list', undefined, signal),
    refetchInterval: EVERY_MS,
  });
  const mayWrite = useMay('settings.write');
  const [making, setMaking] = useDraftOpen(WEBHOOK_FORM);
  const items = list.data?.items;
  return (
    <div className="page wide">
      <header className="pagehead">
        <div className="grow">
          <h1 aria-live="polite">{items ? describeWebhooks(items) : <Ghost width={360} says="Webhooks, loading" />}</h1>
          <p className="soft">GitHub, GitLab and programs of your own tell of changes by signed deliveries.</p>
        </div>
        <Button
          look="primary"
          icon="plus"
          unavailable={mayWrite ? undefined : refusalWords('settings.write')}
          onClick={() => setMaking(true)}
        >
          New webhook
        </Button>
      </header>
      <section className="card" aria-label="Webhooks">
        {list.isError && !items ? (
          <Failure error={list.error} retry={() => void list.refetch()} />
        ) : items?.length === 0 ? (
          <EmptyState icon="link" title="No webhook yet">
            <p>Create one to see deployments and commits on the timeline, and as causes of incidents.</p>
          </EmptyState>
        ) : (
          <WebhookTable items={items} />
        )}
      </section>
      {making ? <NewWebhook onClose={() => setMaking(false)} /> : null}
    </div>
  );
}

function WebhookTable({ items }: { items: readonly Webhook[] | undefined }) {
  const now = useNow(5_000);
  return (
    <ScrollX label="Webhooks">
      <table aria-busy={items === undefined}>
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

function Row({ item, now }: { item: Webhook; now: number }) {
  const [refusal] = item.refusals;
  return (
    <tr>
      <td>
        <Link to="/change-webhooks/$id" params={{ id: item.id }}>
          {item.name}
        </Link>
      </td>
      <td>{PROVIDER_NAMES[item.provider]}</td>
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
      <td className="n">{formatCount(item.events_stored)}</td>
      <td className="n">{formatCount(item.without_target)}</td>
      <td>{refusal ? REFUSAL_WORDS[refusal.reason].why : <span className="mute">nothing</span>}</td>
    </tr>
  );
}
