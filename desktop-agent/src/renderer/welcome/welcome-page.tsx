import type { DisclosureView, IpcInput } from '@svc/contracts/agent/ipc';
import { itemName, itemState, itemWhy, readersWords } from '../../i18n/disclosure-text.ts';
import { ITEM_ICONS } from '../collect/collect-item.tsx';
import { useDisclosure } from '../collect/use-disclosure.ts';
import type { Snapshot } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { PageFrame } from '../ui/page.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useWords } from '../words-context.ts';

type Answer = IpcInput<'answerDisclosure'>['answer'];

function Collected({ view }: { view: DisclosureView }) {
  const words = useWords();
  return (
    <ul className="short">
      {view.items.map((item) => (
        <li key={item.item}>
          <Icon name={ITEM_ICONS[item.item]} />
          <span className="grow">
            <b>{itemName(words, item)}</b> <span className="mute">{itemWhy(words, item)}</span>
          </span>
          <small>{itemState(words, item)}</small>
        </li>
      ))}
    </ul>
  );
}

function Disclosed({ view, where }: { view: DisclosureView; where: string }) {
  const words = useWords();
  const { t } = words;
  return (
    <>
      <h2>{t('welcome.collected')}</h2>
      <Collected view={view} />
      <h2>{t('welcome.never')}</h2>
      <p>{t('collect.neverText')}</p>
      <h2>{t('welcome.who')}</h2>
      <p>{readersWords(words, view)}</p>
      <h2>{t('welcome.kept')}</h2>
      <p>{t('welcome.keptText', { n: view.keptDays })}</p>
      <h2>{t('welcome.where')}</h2>
      <p>
        {where} {t('welcome.rights')}
      </p>
    </>
  );
}

function Answers({ mustAccept, busy, give }: { mustAccept: boolean; busy: boolean; give: (answer: Answer) => void }) {
  const { t } = useWords();
  return (
    <>
      <button
        type="button"
        className="btn primary"
        aria-disabled={busy}
        onClick={() => {
          if (!busy) give(mustAccept ? 'accepted' : 'shown');
        }}
      >
        {t(mustAccept ? 'welcome.accept' : 'welcome.continue')}
      </button>
      {mustAccept ? (
        <button type="button" className="btn" onClick={() => give('declined')}>
          {t('welcome.decline')}
        </button>
      ) : null}
      <span className="s mute grow">{t('welcome.close')}</span>
    </>
  );
}

/** The first start, and the same again for who thinks about a decline: nothing is measured before it was answered. */
export function WelcomePage({ snapshot, onDone }: { snapshot: Snapshot; onDone: () => void }) {
  const words = useWords();
  const { t } = words;
  const { link, desktop } = snapshot;
  const { view, fault } = useDisclosure(link);
  const answer = useCall('answerDisclosure');
  const state = link.reachable ? link.state : null;
  const problem = link.reachable ? (answer.fault ?? fault) : 'unreachable';
  const mustAccept = state ? state.mustAccept || state.disclosure === 'declined' : false;
  const where = desktop.tray ? t(`welcome.where.${desktop.platform}`) : t('welcome.where.none');
  const give = (given: Answer): void => void answer.run({ answer: given }).then((found) => found && onDone());
  return (
    <PageFrame footer={view && state ? <Answers mustAccept={mustAccept} busy={answer.busy} give={give} /> : undefined}>
      <div className="welcome">
        <h1 tabIndex={-1}>{t('welcome.title')}</h1>
        <p className="soft">{t('welcome.lead')}</p>
        {problem ? (
          <p className="fault" role="alert">
            {faultWords(words, problem)}
          </p>
        ) : null}
        {mustAccept ? <p className="ask">{t('welcome.mustAccept')}</p> : null}
        {view ? <Disclosed view={view} where={where} /> : null}
      </div>
    </PageFrame>
  );
}
