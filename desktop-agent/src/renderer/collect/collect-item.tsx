import type { CollectItem } from '@svc/contracts/agent/ipc';
import { everyWords, itemName, itemState, itemWhat, itemWhy, lastValue } from '../../i18n/disclosure-text.ts';
import { targetName } from '../../i18n/verdict-words.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { LockedSwitch, Switch } from '../ui/switch.tsx';
import { useWords } from '../words-context.ts';

export const ITEM_ICONS: Readonly<Record<CollectItem['item'], IconName>> = {
  wifi: 'wifi',
  gateway: 'local',
  path: 'network',
  session: 'clock',
  resolver: 'search',
  agent: 'lines',
  ssid: 'wifi',
  gatewayIp: 'local',
  publicHops: 'isp',
  deviceName: 'laptop',
  hostFacts: 'laptop',
  context: 'lines',
  site: 'laptop',
  ownerEmail: 'laptop',
};

/** One thing that is collected, or is not: why, its last value, and who decided. */
export function CollectRow({ item, busy, onFlip }: { item: CollectItem; busy: boolean; onFlip: () => void }) {
  const words = useWords();
  const every = everyWords(words, item);
  const name = itemName(words, item);
  return (
    <li>
      <Icon name={ITEM_ICONS[item.item]} />
      <div className="grow">
        <b>{name}</b>
        <p>{itemWhy(words, item)}</p>
        <p>{itemWhat(words, item)}</p>
        <p className="value num">{lastValue(words, item)}</p>
        {item.targets.length > 0 ? <p className="wrap">{item.targets.map(targetName).join(', ')}</p> : null}
      </div>
      <div className="side">
        {item.yours ? <Switch on={item.on} name={name} busy={busy} onChange={onFlip} /> : <LockedSwitch on={item.on} />}
        <small>{itemState(words, item)}</small>
        {every ? <small>{every}</small> : null}
      </div>
    </li>
  );
}

/** What no setting can switch on. */
export function Never() {
  const { t } = useWords();
  return (
    <div className="never">
      <b>
        <Icon name="ban" size={14} />
        {t('collect.never')}
      </b>
      <p>{t('collect.neverText')}</p>
    </div>
  );
}
