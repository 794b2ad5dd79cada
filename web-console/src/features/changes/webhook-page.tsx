import './changes-page.css';
import type { Webhook, WebhookDetail, WebhookSecret } from '@svc/contracts/changes/webhook';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ask, tell } from '../../api.ts';
import { Button, CopyButton, Field } from '../../ui/controls/controls.tsx';
import { ConfirmChange, FormDialog } from '../../ui/dialogs/dialogs.tsx';
import { Time, useNow } from '../../ui/moments/time.tsx';
import { Breadcrumb } from '../../ui/page/breadcrumb.tsx';
import { refusalWords } from '../../ui/permission/permission-words.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure, isUnknownId } from '../../ui/placeholders/failure.tsx';
import { isWhole } from '../../ui/tokens/token-dialogs.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { DeliveriesCard, RefusedCard } from './deliveries-cards.tsx';
import { PROVIDER_NAMES } from './recipes.ts';
import { SecretShown } from './secret-shown.tsx';
import { TargetsCard } from './targets-card.tsx';

const route = getRouteApi('/change-webhooks/$id');
const EVERY_MS = 3_000;

/** One webhook: what came, what was refused and why, and where its changes happen. */
export function WebhookPage() {
  const { id } = route.useParams();
  const detail = useQuery({
    queryKey: ['changes.webhooks.get', id],
    queryFn: ({ signal }) => ask('changes.webhooks.get', { id }, signal),
    refetchInterval: EVERY_MS,
  });
  const name = detail.data?.webhook.name;
  useEffect(() => {
    document.title = name ?? 'Webhook';
  }, [name]);
  if (isUnknownId(detail.error)) return <NoSuchWebhook />;
  if (detail.data) return <Loaded detail={detail.data} />;
  return (
    <div className="page wide">
      <Breadcrumb here={<span className="crumb-here">Webhook</span>} />
      {detail.isError ? (
        <Failure error={detail.error} retry={() => void detail.refetch()} />
      ) : (
        <h1>
          <Ghost width={320} says="Webhook, loading" />
        </h1>
      )}
    </div>
  );
}

/** What was read of it before it was deleted, here or elsewhere, is not shown as if it were there. */
function NoSuchWebhook() {
  return (
    <EmptyState icon="link" title="There is no such webhook" alert>
      <p>
        It was deleted, or the link is incomplete or belongs to another tenant.{' '}
        <Link to="/change-webhooks">Open the webhooks</Link>
      </p>
    </EmptyState>
  );
}

function Loaded({ detail }: { detail: WebhookDetail }) {
  const { webhook } = detail;
  return (
    <div className="page wide">
      <Breadcrumb here={<span className="crumb-here">{webhook.name}</span>} />
      <header className="pagehead">
        <div className="grow">
          <h1>{webhook.name}</h1>
          <p className="soft" aria-live="polite">
            {webhook.last_delivery_at ? (
              <>
                {PROVIDER_NAMES[webhook.provider]}, last delivery <Time at={webhook.last_delivery_at} />
              </>
            ) : (
              `${PROVIDER_NAMES[webhook.provider]}, waiting for the first delivery`
            )}
          </p>
        </div>
        <Acts webhook={webhook} />
      </header>
      <div className="chg-two">
        <FactsCard webhook={webhook} />
        <RefusedCard webhook={webhook} />
      </div>
      <DeliveriesCard last={detail.last} />
      <TargetsCard key={`${webhook.id} ${JSON.stringify(detail.rules)}`} detail={detail} />
    </div>
  );
}

function Acts({ webhook }: { webhook: Webhook }) {
  const mayWrite = useMay('settings.write');
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rotate' | 'remove'>();
  const unavailable =
    webhook.source === 'configuration'
      ? 'It stands in SVC_CHANGE_WEBHOOKS and is changed there.'
      : mayWrite
        ? undefined
        : refusalWords('settings.write');
  return (
    <>
      <Button icon="key" unavailable={unavailable} onClick={() => setOpen('rotate')}>
        Rotate
      </Button>
      <Button icon="trash" unavailable={unavailable} onClick={() => setOpen('remove')}>
        Delete
      </Button>
      {open === 'rotate' ? <Rotate webhook={webhook} onClose={() => setOpen(undefined)} /> : null}
      {open === 'remove' ? (
        <ConfirmChange
          title={`Delete ${webhook.name}?`}
          action="Delete"
          change={async () => {
            await tell('changes.webhooks.remove', { id: webhook.id });
            void navigate({ to: '/change-webhooks' });
          }}
          list={['changes.webhooks.list']}
          onClose={() => setOpen(undefined)}
        >
          Its deliveries are refused from now on. The changes that it told of stay.
        </ConfirmChange>
      ) : null}
    </>
  );
}

/** Another secret; the one before is taken for some hours longer. */
function Rotate({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [hours, setHours] = useState('24');
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: (): Promise<WebhookSecret> => tell('changes.webhooks.rotate', { id: webhook.id, overlap_hours: Number(hours) }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['changes.webhooks.get', webhook.id] }),
  });
  const valid = isWhole(hours, [0, 168]);
  if (rotate.data) return <SecretShown made={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate the secret of ${webhook.name}`}
      action="Rotate"
      busy={rotate.isPending}
      unavailable={valid ? undefined : 'Check the hours'}
      error={rotate.error?.message}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <Field
        label="The secret it has now is taken for"
        unit="hours"
        inputMode="numeric"
        data-autofocus
        value={hours}
        hint="0 ends it at once."
        error={valid ? undefined : '0 to 168'}
        onChange={(event) => setHours(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function FactsCard({ webhook }: { webhook: Webhook }) {
  const now = useNow(30_000);
  return (
    <section className="card" aria-labelledby="facts-h">
      <header>
        <h2 id="facts-h">Webhook</h2>
        <span className="grow" />
        <CopyButton text={webhook.address} label="Copy address" />
      </header>
      <dl className="chg-facts s">
        <dt>Address</dt>
        <dd>{webhook.address}</dd>
        <dt>Deliveries</dt>
        <dd>{formatCount(webhook.deliveries)}</dd>
        <dt>Changes</dt>
        <dd>
          <Link to="/changes" search={{ webhook: webhook.id, range: '30d' }}>
            {formatCount(webhook.events_stored)} stored
          </Link>
          {webhook.without_target > 0 ? (
            <>
              ,{' '}
              <Link to="/changes" search={{ webhook: webhook.id, untargeted: 'only', range: '30d' }}>
                {formatCount(webhook.without_target)} without a target
              </Link>
            </>
          ) : null}
        </dd>
        <dt>Made</dt>
        <dd>
          <Time at={webhook.created_at} now={now} /> by {webhook.created_by?.name ?? 'the configuration'}
        </dd>
        {webhook.overlap_until ? (
          <>
            <dt>Former secret</dt>
            <dd>
              taken until <Time at={webhook.overlap_until} now={now} />
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}
