import type { AddedItem, CollectItem, DisclosureView, IpcInput } from '@svc/contracts/agent/ipc';
import { type RefObject, useRef } from 'react';
import {
  addedEveryWords,
  addedName,
  everyWords,
  itemName,
  itemState,
  itemWhat,
  itemWhy,
  keptWords,
  readersWords,
} from '../../i18n/disclosure-text.ts';
import { ITEM_ICONS } from '../collect/collect-item.tsx';
import { useDisclosure } from '../collect/use-disclosure.ts';
import type { Snapshot } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { PageFrame } from '../ui/page.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useWords } from '../words-context.ts';

type Answer = IpcInput<'answerDisclosure'>['answer'];

interface Shown {
  name: string;
  targets: readonly string[];
  every: string | undefined;
}

function Line({ item, shown }: { item: CollectItem; shown: Shown }) {
  const words = useWords();
  return (
    <li>
      <Icon name={ITEM_ICONS[item.item]} />
      <span className="grow">
        <b>{shown.name}</b> <span className="mute">{itemWhy(words, item)}</span>
        <span className="targets">{itemWhat(words, item)}</span>
        {shown.targets.length > 0 ? <span className="targets wrap">{shown.targets.join(', ')}</span> : null}
      </span>
      <small>
        {itemState(words, item)}
        {shown.every ? <span className="every mute">{shown.every}</span> : null}
      </small>
    </li>
  );
}

function Collected({ view }: { view: DisclosureView }) {
  const words = useWords();
  return (
    <ul className="short">
      {view.items.map((item) => {
        const targets = item.on ? item.targets : [];
        return (
          <Line key={item.item} item={item} shown={{ name: itemName(words, item), targets, every: everyWords(words, item) }} />
        );
      })}
    </ul>
  );
}

/** What is new and nothing else. */
function Added({ view, added }: { view: DisclosureView; added: readonly AddedItem[] }) {
  const words = useWords();
  return (
    <>
      <h2>{words.t('welcome.added.what')}</h2>
      <ul className="short">
        {added.map((one) => {
          const item = view.items.find((known) => known.item === one.item);
          if (!item) return null;
          const shown = { name: addedName(words, one, item), targets: one.targets, every: addedEveryWords(words, one) };
          return <Line key={one.item} item={item} shown={shown} />;
        })}
      </ul>
      <h2>{words.t('welcome.who')}</h2>
      <p>{readersWords(words, view)}</p>
    </>
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
      <p>{keptWords(words, view)}</p>
      <h2>{t('welcome.where')}</h2>
      <p>
        {where} {t('welcome.rights')}
      </p>
    </>
  );
}

interface AnswersProps {
  mustAccept: boolean;
  isAddition: boolean;
  busy: boolean;
  /** With the words on the button. */
  give: (answer: Answer, button: string) => void;
}

function Answers({ mustAccept, isAddition, busy, give }: AnswersProps) {
  const { t } = useWords();
  const plain = t(isAddition ? 'welcome.added.continue' : 'welcome.continue');
  const agree = mustAccept ? t('welcome.accept') : plain;
  return (
    <>
      <button
        type="button"
        className="btn primary"
        aria-disabled={busy}
        onClick={() => {
          if (!busy) give(mustAccept ? 'accepted' : 'shown', agree);
        }}
      >
        {agree}
      </button>
      {mustAccept ? (
        <button type="button" className="btn" onClick={() => give('declined', t('welcome.decline'))}>
          {t('welcome.decline')}
        </button>
      ) : null}
      {isAddition ? null : <span className="s mute grow">{t('welcome.close')}</span>}
    </>
  );
}

/** Gives the answer together with the very words that stand on the page. */
function useAnswer(page: RefObject<HTMLDivElement | null>, view: DisclosureView | null, onDone: () => void) {
  const { language } = useWords();
  const { run, busy, fault } = useCall('answerDisclosure');
  const give = (answer: Answer, button: string): void => {
    if (!view) return;
    // biome-ignore lint/performance/useDomNodeTextContent: the record is of what the person saw, as it was laid out
    const text = `${page.current?.innerText ?? ''}\n\n${button}`;
    void run({ answer, of: view.id, words: { language, text } }).then((found) => found && onDone());
  };
  return { give, busy, fault };
}

/**
 * The first start, and the same again for who thinks about a decline: nothing is measured before it was answered. Where policy came
 * to ask for more it shows that alone, and what was shown before goes on.
 */
export function WelcomePage({ snapshot, onDone }: { snapshot: Snapshot; onDone: () => void }) {
  const words = useWords();
  const { t } = words;
  const { link, desktop } = snapshot;
  const { view, fault, refresh } = useDisclosure(link);
  const page = useRef<HTMLDivElement>(null);
  const done = (): void => {
    refresh();
    onDone();
  };
  const answer = useAnswer(page, view, done);
  const state = link.reachable ? link.state : null;
  const problem = link.reachable ? (answer.fault ?? fault) : 'unreachable';
  const mustAccept = state ? state.mustAccept || state.disclosure === 'declined' : false;
  const added = state?.disclosure === 'not_shown' ? (view?.added ?? null) : null;
  const where = desktop.tray ? t(`welcome.where.${desktop.platform}`) : t('welcome.where.none');
  const answers = { mustAccept, isAddition: added !== null, busy: answer.busy, give: answer.give };
  return (
    <PageFrame footer={view && state ? <Answers {...answers} /> : undefined}>
      <div className="welcome" ref={page}>
        <h1 tabIndex={-1}>{t(added ? 'welcome.added.title' : 'welcome.title')}</h1>
        <p className="soft">{t(added ? 'welcome.added.lead' : 'welcome.lead')}</p>
        {problem ? (
          <p className="fault" role="alert">
            {faultWords(words, problem)}
          </p>
        ) : null}
        {mustAccept ? <p className="ask">{t('welcome.mustAccept')}</p> : null}
        {view && added ? <Added view={view} added={added} /> : null}
        {view && !added ? <Disclosed view={view} where={where} /> : null}
      </div>
    </PageFrame>
  );
}
