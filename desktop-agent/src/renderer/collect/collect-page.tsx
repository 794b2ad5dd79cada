import { disclosureText, originWords, seenWords } from '../../i18n/disclosure-text.ts';
import type { Snapshot } from '../store.ts';
import { useStore } from '../store.ts';
import { PageFrame } from '../ui/page.tsx';
import { faultWords } from '../use-call.ts';
import { useWords } from '../words-context.ts';
import { CollectRow, Never } from './collect-item.tsx';
import { useDisclosure } from './use-disclosure.ts';

/** Generated from the settings in force: item, why, last value, on or off, and who decided. */
export function CollectPage({ snapshot }: { snapshot: Snapshot }) {
  const words = useWords();
  const { bridge } = useStore();
  const { view, fault, busy, flip } = useDisclosure(snapshot.link);
  const problem = snapshot.link.reachable ? fault : 'unreachable';
  const footer = view ? (
    <>
      <span className="s soft grow">{seenWords(words, view)}</span>
      <button
        type="button"
        className="link"
        onClick={() => void bridge.saveFile('what-we-collect.txt', disclosureText(words, view, Date.now()))}
      >
        {words.t('collect.export')}
      </button>
    </>
  ) : undefined;
  return (
    <PageFrame tab="collect" footer={footer}>
      <h1 className="sr">{words.t('tab.collect')}</h1>
      {problem ? (
        <p className="fault" role="alert">
          {faultWords(words, problem)}
        </p>
      ) : null}
      {view ? (
        <>
          <p className="soft s">{originWords(words, view, Date.now())}</p>
          <ul className="items">
            {view.items.map((item) => (
              <CollectRow key={item.item} item={item} busy={busy} onFlip={() => flip(item)} />
            ))}
          </ul>
          <Never />
        </>
      ) : null}
    </PageFrame>
  );
}
