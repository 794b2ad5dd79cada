import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import type { Output } from '../../api-types.ts';
import { Icon } from '../../ui/controls/icons.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Copyable } from '../../ui/dialogs/dialogs.tsx';
import { OUTCOME_WORDS, REFUSAL_WORDS } from './inbound-words.ts';
import { curlRecipe, STEPS, scriptOf } from './recipes.ts';

/** Somebody waits and looks. */
const EVERY_MS = 2_000;

interface ShownProps {
  made: Output<'notifyInbound.create'>;
  /** The other side made the secret, so nobody needs to be shown it. */
  isOwn: boolean;
  onClose: () => void;
}

/** Address and secret of a webhook with what to do with them; the secret is shown this once. */
export function InboundShown({ made: { webhook, secret }, isOwn, onClose }: ShownProps) {
  const { provider, address } = webhook;
  const script = scriptOf(provider, address, secret);
  return (
    <Dialog open title={`${webhook.name}: address and secret`} onClose={onClose} size={680}>
      {isOwn ? (
        <p className="soft">It is verified by the secret that you gave, which is not shown again.</p>
      ) : (
        <p className="soft">The secret is not shown again. Copy it now; if it is lost, rotate it.</p>
      )}
      <h3 className="s med">Address</h3>
      <Copyable text={address} />
      {isOwn ? null : (
        <>
          <h3 className="s med">Secret</h3>
          <Copyable text={secret} />
        </>
      )}
      <Steps provider={provider} />
      {script ? <Copyable text={script} /> : null}
      {isOwn ? null : (
        <>
          <h3 className="s med">Any program: the portable contract</h3>
          <Copyable text={curlRecipe(address, secret)} />
        </>
      )}
      <FirstDelivery id={webhook.id} isNew={webhook.last_delivery_at === null} />
    </Dialog>
  );
}

export function Steps({ provider }: { provider: keyof typeof STEPS }) {
  return (
    <ol className="inb-steps s soft">
      {STEPS[provider].map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}

/** Whether a new webhook is wired: what its first delivery came to, or why the last one was refused. */
function FirstDelivery({ id, isNew }: { id: string; isNew: boolean }) {
  const detail = useQuery({
    queryKey: ['notifyInbound.get', id],
    queryFn: ({ signal }) => ask('notifyInbound.get', { id }, signal),
    refetchInterval: EVERY_MS,
    enabled: isNew,
  }).data;
  if (!isNew) return null;
  const [first] = detail?.last ?? [];
  const [refusal] = detail?.webhook.refusals ?? [];
  return (
    <p className="note row" role="status">
      {first ? (
        <>
          <Icon name="ok" size={14} />
          <span>
            Its first delivery is here. {OUTCOME_WORDS[first.outcome]}.{' '}
            <Link to="/notify/inbound/$id" params={{ id }}>
              See all of them
            </Link>
          </span>
        </>
      ) : refusal ? (
        <>
          <Icon name="warning" size={14} />
          <span>
            A delivery was refused: {REFUSAL_WORDS[refusal.reason].why.toLowerCase()}. {REFUSAL_WORDS[refusal.reason].todo}
          </span>
        </>
      ) : (
        <>
          <Icon name="pending" size={14} />
          <span>Waiting for the first delivery</span>
        </>
      )}
    </p>
  );
}
