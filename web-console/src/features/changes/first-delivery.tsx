import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { Icon } from '../../ui/controls/icons.tsx';
import { REFUSAL_WORDS, tellDelivery } from './webhook-words.ts';

/** Somebody waits and looks. */
const EVERY_MS = 2_000;

/** Whether a new webhook is wired: what its first delivery came to, or why the last one was refused. */
export function FirstDelivery({ id }: { id: string }) {
  const detail = useQuery({
    queryKey: ['changes.webhooks.get', id],
    queryFn: ({ signal }) => ask('changes.webhooks.get', { id }, signal),
    refetchInterval: EVERY_MS,
  }).data;
  const [first] = detail?.last ?? [];
  const [refusal] = detail?.webhook.refusals ?? [];
  return (
    <p className="note row" role="status">
      {first ? (
        <>
          <Icon name="ok" size={14} />
          <span>
            Its first delivery is here: {tellDelivery(first)}.{' '}
            <Link to="/change-webhooks/$id" params={{ id }}>
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
