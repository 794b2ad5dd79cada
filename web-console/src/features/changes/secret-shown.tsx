import type { WebhookSecret } from '@svc/contracts/changes/webhook';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Copyable } from '../../ui/dialogs/dialogs.tsx';
import { FirstDelivery } from './first-delivery.tsx';
import { curlRecipe, STEPS } from './recipes.ts';

/** Address and secret of a webhook with what to do with them; the secret is shown this once. */
export function SecretShown({ made: { webhook, secret }, onClose }: { made: WebhookSecret; onClose: () => void }) {
  return (
    <Dialog open title={`${webhook.name}: address and secret`} onClose={onClose} size={640}>
      <p className="soft">The secret is not shown again. Copy it now; if it is lost, rotate it.</p>
      <h3 className="s med">Address</h3>
      <Copyable text={webhook.address} />
      <h3 className="s med">Secret</h3>
      <Copyable text={secret} />
      <ol className="s soft">
        {STEPS[webhook.provider].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {webhook.provider === 'generic' ? <Copyable text={curlRecipe(webhook.address, secret)} /> : null}
      {webhook.last_delivery_at === null ? <FirstDelivery id={webhook.id} /> : null}
    </Dialog>
  );
}
