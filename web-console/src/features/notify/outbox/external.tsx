import type { OutboxMessage } from '@svc/contracts/notify/outbox';

/** Its name there, with the page of it where that is known. */
export function External({ external: { label, url } }: { external: NonNullable<OutboxMessage['external']> }) {
  if (!url) return label ? <span className="obx-ext">{label}</span> : null;
  return (
    <a className="obx-ext" href={url} target="_blank" rel="noreferrer">
      {label ?? 'open there'}
    </a>
  );
}
