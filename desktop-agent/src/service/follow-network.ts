import type { NetworkChange } from '@svc/native/network/network';
import { USUAL_DEPTH } from '../measure/measurer.ts';
import type { Owners } from './open.ts';

/** What hears of another network. */
export type FollowingNetwork = Pick<
  Owners,
  'deps' | 'activity' | 'measurer' | 'context' | 'faces' | 'rounds' | 'uplink' | 'network'
>;

/** IPv4 and IPv6 of one network are joined within a moment of each other: one round measures both. */
const SETTLE_MS = 1500;

/**
 * Ends what is measured in a network that is left and forgets what was seen there, also where the next one's gateway has the same
 * address; measures the next one soon. Gives what stops it.
 */
export function followNetwork(r: FollowingNetwork): () => void {
  let changes = 0;
  /** Usual values are kept under the network's name: it has to be known before a round is measured. */
  const enter = async (): Promise<void> => {
    const present = changes;
    const name = await r.network?.refresh();
    // A network that was left meanwhile is not entered.
    if (present === changes && !r.rounds.isStopped()) r.measurer.enterNetwork(name);
  };
  let timer: NodeJS.Timeout | undefined;
  const measureSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      void Promise.all([r.context.refresh(), enter()]).then(() => {
        r.faces.changed();
        r.rounds.run(USUAL_DEPTH);
      });
    }, SETTLE_MS).unref();
  };
  const onChange = (change: NetworkChange): void => {
    if (r.rounds.isStopped()) return;
    changes += 1;
    r.activity.restart('the network changed');
    r.measurer.networkChanged();
    r.context.networkChanged();
    r.faces.changed();
    // The verdict on the former network is taken back at once.
    if (!r.activity.isHalted()) void r.measurer.attribution().catch(r.rounds.noteFailure);
    if (change === 'left') return;
    r.deps.log('Joined another network; measuring anew.');
    r.uplink.retryNow();
    measureSoon();
  };
  const watch = r.deps.watchNetwork?.(onChange);
  if (watch && 'value' in watch) void enter();
  // Without announcements a name would outlive its network.
  else if (watch) r.deps.log('The system does not announce changes of the network; a new gateway tells of them.');
  return () => {
    clearTimeout(timer);
    if (watch && 'value' in watch) watch.value();
  };
}
