import type { HelpdeskView } from '@svc/contracts/agent/ipc';
import { useEffect, useState } from 'react';
import { helpdeskText } from '../../i18n/helpdesk-text.ts';
import { useStore } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { PageFrame } from '../ui/page.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useWords } from '../words-context.ts';

/** Shows all that would be copied, and copies it only then. Escape goes back. */
export function HelpdeskPage() {
  const words = useWords();
  const { t } = words;
  const store = useStore();
  const [view, setView] = useState<HelpdeskView | null>(null);
  const [copied, setCopied] = useState<boolean | null>(null);
  const { run, fault } = useCall('helpdesk');
  useEffect(() => {
    void run({}).then((found) => found && setView(found));
  }, [run]);
  useEffect(() => {
    const back = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') store.openPage('now');
    };
    document.addEventListener('keydown', back);
    return () => document.removeEventListener('keydown', back);
  }, [store]);
  const text = view ? helpdeskText(words, view) : '';
  const done = view?.code ? t('help.copied', { code: view.code }) : t('help.copiedPlain');
  return (
    <PageFrame
      tab="now"
      footer={
        <>
          <button
            type="button"
            className="btn primary"
            aria-disabled={!view}
            onClick={() => {
              if (view) void store.bridge.copy(text).then(setCopied);
            }}
          >
            <Icon name="copy" size={14} />
            {t('help.copy')}
          </button>
          <button type="button" className="btn" onClick={() => store.openPage('now')}>
            {t('help.back')}
          </button>
          <span role="status" className="s soft grow">
            {copied === null ? '' : copied ? done : t('help.failed')}
          </span>
        </>
      }
    >
      <h1 tabIndex={-1}>{t('menu.helpdesk')}</h1>
      <p className="soft s below">{t('help.lead')}</p>
      {fault ? (
        <p className="fault" role="alert">
          {faultWords(words, fault)}
        </p>
      ) : null}
      {view ? (
        <textarea className="preview" readOnly value={text} aria-label={t('help.text')} rows={text.split('\n').length + 4} />
      ) : null}
    </PageFrame>
  );
}
