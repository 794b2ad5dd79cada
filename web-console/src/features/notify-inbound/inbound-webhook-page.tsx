import './inbound.css';
import type { InboundWebhook } from '@svc/contracts/notify/inbound';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ask, tell } from '../../api.ts';
import type { Output } from '../../api-types.ts';
import { Button, CopyButton, Field } from '../../ui/controls/controls.tsx';
import { ConfirmChange, FormDialog } from '../../ui/dialogs/dialogs.tsx';
import { Time, useNow } from '../../ui/moments/time.tsx';
import { MAY_NOT } from '../../ui/notify/may-not.ts';
import { inboundQuery } from '../../ui/notify/notify-queries.ts';
import { PROVIDER_NAMES } from '../../ui/notify/provider-mark.tsx';
import { Breadcrumb } from '../../ui/page/breadcrumb.tsx';
import { useMay } from '../../ui/permission/use-may.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { isWhole } from '../../ui/tokens/token-dialogs.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { DeliveriesCard, RefusedCard, WiringCard } from './inbound-cards.tsx';
import { OwnSecret, secretFault } from './inbound-form.tsx';
import { InboundShown } from './inbound-shown.tsx';

const route = getRouteApi('/notify/inbound/$id');
const EVERY_MS = 3_000;

/** One inbound webhook: what came, what came of it, what was refused and why, and how the other side is wired. */
export function InboundWebhookPage() {
  const { id } = route.useParams();
  const detail = useQuery({
    queryKey: ['notifyInbound.get', id],
    queryFn: ({ signal }) => ask('notifyInbound.get', { id }, signal),
    refetchInterval: EVERY_MS,
  });
  const name = detail.data?.webhook.name;
  useEffect(() => {
    document.title = name ?? 'Inbound webhook';
  }, [name]);
  if (detail.data) return <Loaded detail={detail.data} />;
  return (
    <div className="page wide">
      <Breadcrumb here={<span className="crumb-here">Webhook</span>} />
      {detail.isError ? (
        <Failure error={detail.error} retry={() => void detail.refetch()} />
      ) : (
        <h1>
          <Ghost width={320} says="Inbound webhook, loading" />
        </h1>
      )}
    </div>
  );
}

function Loaded({ detail: { webhook, last } }: { detail: Output<'notifyInbound.get'> }) {
  const name = PROVIDER_NAMES[webhook.provider];
  return (
    <div className="page wide">
      <Breadcrumb here={<span className="crumb-here">{webhook.name}</span>} />
      <header className="pagehead">
        <div className="grow">
          <h1>{webhook.name}</h1>
          <p className="soft" aria-live="polite">
            {webhook.last_delivery_at ? (
              <>
                {name}, last delivery <Time at={webhook.last_delivery_at} />
              </>
            ) : (
              `${name}, waiting for the first delivery`
            )}
          </p>
        </div>
        <Acts webhook={webhook} />
      </header>
      <div className="inb-two">
        <FactsCard webhook={webhook} />
        <RefusedCard webhook={webhook} />
      </div>
      <DeliveriesCard last={last} />
      <WiringCard webhook={webhook} />
    </div>
  );
}

function Acts({ webhook }: { webhook: InboundWebhook }) {
  const mayWrite = useMay('settings.write');
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'rotate' | 'remove'>();
  const denied = mayWrite ? undefined : MAY_NOT;
  const fixed = webhook.source === 'configuration' ? 'It stands in SVC_NOTIFY_INBOUND and is changed there.' : denied;
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Button icon="pencil" unavailable={denied} onClick={() => setOpen('rename')}>
        Rename
      </Button>
      <Button icon="key" unavailable={fixed} onClick={() => setOpen('rotate')}>
        Rotate
      </Button>
      <Button icon="trash" unavailable={fixed} onClick={() => setOpen('remove')}>
        Delete
      </Button>
      {open === 'rename' ? <Rename webhook={webhook} onClose={close} /> : null}
      {open === 'rotate' ? <Rotate webhook={webhook} onClose={close} /> : null}
      {open === 'remove' ? (
        <ConfirmChange
          title={`Delete ${webhook.name}?`}
          action="Delete"
          change={async () => {
            await tell('notifyInbound.remove', { id: webhook.id });
            void navigate({ to: '/notify/inbound' });
          }}
          list={inboundQuery.queryKey}
          onClose={close}
        >
          Its deliveries are refused from now on: what is resolved there stays open here. What came by it goes too.
        </ConfirmChange>
      ) : null}
    </>
  );
}

function Rename({ webhook: { id, name }, onClose }: { webhook: InboundWebhook; onClose: () => void }) {
  const [next, setNext] = useState(name);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: () => tell('notifyInbound.rename', { id, name: next.trim() }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['notifyInbound.get', id] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Rename ${name}`}
      action="Rename"
      busy={rename.isPending}
      unavailable={next.trim() === '' ? 'Name it first' : undefined}
      error={rename.error?.message}
      onSubmit={() => rename.mutate()}
      onClose={onClose}
    >
      <Field label="Name" data-autofocus maxLength={200} value={next} onChange={(event) => setNext(event.currentTarget.value)} />
    </FormDialog>
  );
}

/** Another secret; the one before is taken for some hours longer. */
function Rotate({ webhook: { id, name, provider }, onClose }: { webhook: InboundWebhook; onClose: () => void }) {
  const [hours, setHours] = useState('24');
  const [secret, setSecret] = useState('');
  const queryClient = useQueryClient();
  const own = secret.trim();
  const rotate = useMutation({
    mutationFn: (): Promise<Output<'notifyInbound.create'>> =>
      tell('notifyInbound.rotate', { id, overlap_hours: Number(hours), ...(own ? { secret: own } : {}) }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['notifyInbound.get', id] }),
  });
  const isValid = isWhole(hours, [0, 168]);
  if (rotate.data) return <InboundShown made={rotate.data} isOwn={own !== ''} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate the secret of ${name}`}
      action="Rotate"
      busy={rotate.isPending}
      unavailable={isValid ? secretFault(own) : 'Check the hours'}
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
        error={isValid ? undefined : '0 to 168'}
        onChange={(event) => setHours(event.currentTarget.value)}
      />
      <OwnSecret provider={provider} value={secret} onChange={setSecret} />
    </FormDialog>
  );
}

function FactsCard({ webhook }: { webhook: InboundWebhook }) {
  const now = useNow(30_000);
  const { address, connector, provider, deliveries, created_at: createdAt, created_by: by, overlap_until: until } = webhook;
  return (
    <section className="card" aria-labelledby="facts-h">
      <header>
        <h2 id="facts-h">Webhook</h2>
        <span className="grow" />
        <CopyButton text={address} label="Copy address" />
      </header>
      <dl className="inb-facts s">
        <dt>Address</dt>
        <dd>{address}</dd>
        <dt>Connector</dt>
        <dd>{connector?.name ?? `any of ${PROVIDER_NAMES[provider]}`}</dd>
        <dt>Deliveries</dt>
        <dd>{formatCount(deliveries)}</dd>
        <dt>Made</dt>
        <dd>
          <Time at={createdAt} now={now} /> by {by?.name ?? 'the configuration'}
        </dd>
        {until ? (
          <>
            <dt>Former secret</dt>
            <dd>
              taken until <Time at={until} now={now} />
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}
