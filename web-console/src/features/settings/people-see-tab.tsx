import {
  createDisclosureWords,
  type DisclosureWords,
  itemName,
  itemState,
  itemWhat,
  itemWhy,
  readersWords,
} from '@svc/contracts/words/disclosure-words';
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES, type Language } from '@svc/contracts/words/languages';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ask } from '../../api.ts';
import type { Told } from '../../api-types.ts';
import { Segments } from '../../ui/controls/controls.tsx';
import { Icon, type IconName } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { formatDuration } from '../../ui/words/format.ts';

const ITEM_ICONS: Readonly<Record<Told['items'][number]['item'], IconName>> = {
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
const OPTIONS = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));

/** The disclosure as an employee reads it on the device: the agent's own words, made of the policy in force. */
export function PeopleSeeTab() {
  const [language, setLanguage] = useState<Language>(() => chooseLanguage(navigator.languages));
  const told = useQuery({ queryKey: ['fleet.disclosure'], queryFn: ({ signal }) => ask('fleet.disclosure', {}, signal) });
  if (told.isError && !told.data) return <Failure error={told.error} retry={() => told.refetch()} />;
  if (!told.data) return <Ghost width={480} />;
  return (
    <div className="seen">
      <FirstWindow told={told.data} language={language} onLanguage={setLanguage} />
      <Rights told={told.data} />
    </div>
  );
}

interface WindowProps {
  told: Told;
  language: Language;
  onLanguage: (language: Language) => void;
}

function FirstWindow({ told, language, onLanguage }: WindowProps) {
  const words = useMemo(() => createDisclosureWords(language), [language]);
  return (
    <section className="card" aria-labelledby="seen-h">
      <header>
        <h2 id="seen-h">The first window, as they read it</h2>
        <span className="grow" />
        <Segments label="Language" options={OPTIONS} value={language} onChange={onLanguage} />
      </header>
      <div className="firstwindow" lang={language}>
        <h3>{words.t('welcome.title')}</h3>
        <p className="soft">{words.t('welcome.lead')}</p>
        {told.must_accept ? <p>{words.t('welcome.mustAccept')}</p> : null}
        <h4>{words.t('welcome.collected')}</h4>
        <Items told={told} words={words} />
        <h4>{words.t('welcome.never')}</h4>
        <p>{words.t('collect.neverText')}</p>
        <h4>{words.t('welcome.who')}</h4>
        <p>{readersWords(words, told)}</p>
        <h4>{words.t('welcome.kept')}</h4>
        <p>{words.t('welcome.keptText', { n: told.kept_days })}</p>
        <p className="soft">{words.t('welcome.rights')}</p>
      </div>
    </section>
  );
}

function Items({ told, words }: { told: Told; words: DisclosureWords }) {
  return (
    <ul className="seenitems">
      {told.items.map((item) => {
        const shown = { ...item, decidedBy: item.decided_by };
        const every =
          item.on && item.every_seconds ? words.t('collect.every', { duration: words.duration(item.every_seconds * 1000) }) : '';
        return (
          <li key={item.item}>
            <Icon name={ITEM_ICONS[item.item]} />
            <span className="grow">
              <b className="med">{itemName(words, shown)}</b> <span className="mute">{itemWhy(words, shown)}</span>
              <span className="s mute wrapany">{itemWhat(words, shown)}</span>
              {item.on && item.targets.length > 0 ? <span className="s mute wrapany">{item.targets.join(', ')}</span> : null}
            </span>
            <small>
              {itemState(words, shown)}
              {every ? <span className="mute">{every}</span> : null}
            </small>
          </li>
        );
      })}
    </ul>
  );
}

function Rights({ told }: { told: Told }) {
  return (
    <section className="card" aria-labelledby="rights-h">
      <header>
        <h2 id="rights-h">What they may do</h2>
      </header>
      <ul className="rights">
        <li>
          Pause, for {formatDuration(told.max_pause_minutes * 60_000)} at most at a time; you see “paused until”, never a missing
          device.
        </li>
        <li>
          {told.must_accept
            ? 'Accept or decline: until they accept, nothing is measured. You see “declined”.'
            : 'Read it first: nothing is measured before it was shown once.'}
        </li>
        <li>Keep back the network name, inner addresses, the device’s name and its model on their own device.</li>
        <li>Read every message of the last 7 days, 20 MB at most, as the device had it and as it was sent.</li>
      </ul>
      <p className="s mute rightsnote">
        A device may be stricter by its own settings.{' '}
        {told.policy_version === 0 ? 'Based on the defaults' : `Based on policy version ${told.policy_version}`}
        {told.policy_changed_at ? (
          <>
            , changed <Time at={told.policy_changed_at} />
          </>
        ) : null}
        ; <Link to="/settings">change it under Measuring</Link>.
      </p>
    </section>
  );
}
