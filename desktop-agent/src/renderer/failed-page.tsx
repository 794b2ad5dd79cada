import { chooseLanguage } from '../i18n/languages.ts';
import { createWords } from '../i18n/words.ts';

/** Stands in for a page that broke; uses nothing that may be broken too. */
export function FailedPage() {
  const { t } = createWords(chooseLanguage([document.documentElement.lang]));
  return (
    <main className="body">
      <h1>{t('app.name')}</h1>
      <p className="fault" role="alert">
        {t('window.failed')}
      </p>
      <button type="button" className="btn" onClick={() => void window.agent.closeWindow()}>
        {t('window.close')}
      </button>
    </main>
  );
}
