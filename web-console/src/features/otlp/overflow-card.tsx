import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import type { CardinalityOverflow } from '../../api-types.ts';
import { Icon } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { adviseOn, describeOrigin, describeOverflow, titleOf } from './overflow-words.ts';

const EVERY_MS = 30_000;

/** Limits of a day that were reached; nothing while none was. */
export function OverflowCard() {
  const overflows = useQuery({
    queryKey: ['cardinality.overflows'],
    queryFn: ({ signal }) => ask('cardinality.overflows', { days: 1 }, signal),
    refetchInterval: EVERY_MS,
  });
  const items = overflows.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="card" aria-labelledby="overflow-h">
      <header>
        <h2 id="overflow-h">Limits reached today</h2>
        <span className="s mute">days are UTC</span>
      </header>
      <ul className="overflows s">
        {items.map((item) => (
          <Overflow key={`${item.day} ${item.kind}`} item={item} />
        ))}
      </ul>
    </section>
  );
}

function Overflow({ item }: { item: CardinalityOverflow }) {
  const origin = describeOrigin(item);
  return (
    <li>
      <Icon name="warning" size={16} />
      <div>
        <p className="med">
          {titleOf(item)}, reached at <Time at={item.first_at} />
        </p>
        <p>{describeOverflow(item)}</p>
        {origin ? <p className="soft">{origin}</p> : null}
        <p className="soft">{adviseOn(item)}</p>
      </div>
    </li>
  );
}
