import type { ServiceState } from '@svc/contracts/agent/ipc';
import { chooseLanguage, LANGUAGE_NAMES } from '../../i18n/languages.ts';
import { pauseChoices, sinceWords, untilWords } from '../../i18n/moments.ts';
import { type FaceSettings, LANGUAGE_CHOICES, THEMES } from '../bridge.ts';
import { type Snapshot, useStore } from '../store.ts';
import { PageFrame } from '../ui/page.tsx';
import { Switch } from '../ui/switch.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useNow } from '../use-now.ts';
import { useWords } from '../words-context.ts';
import { Connection } from './connection.tsx';

function LanguageAndTheme({ snapshot }: { snapshot: Snapshot }) {
  const { t } = useWords();
  const store = useStore();
  const { settings, desktop } = snapshot;
  const system = LANGUAGE_NAMES[chooseLanguage(desktop.languages)];
  return (
    <>
      <label className="set">
        <span className="grow">{t('settings.language')}</span>
        <select
          value={settings.language}
          onChange={(event) => store.changeSettings({ language: event.target.value as FaceSettings['language'] })}
        >
          {LANGUAGE_CHOICES.map((choice) => (
            <option key={choice} value={choice} lang={choice === 'system' ? undefined : choice}>
              {choice === 'system' ? t('settings.languageSystem', { name: system }) : LANGUAGE_NAMES[choice]}
            </option>
          ))}
        </select>
      </label>
      <fieldset className="set">
        <legend>{t('settings.theme')}</legend>
        <div className="segments">
          {THEMES.map((theme) => (
            <label key={theme}>
              <input
                type="radio"
                name="theme"
                checked={settings.theme === theme}
                onChange={() => store.changeSettings({ theme })}
              />
              <span>{t(`settings.theme.${theme}`)}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {settings.startAtLogin === null ? null : (
        <div className="set">
          <div className="grow">
            {t('settings.login')}
            <p className="mute">{t('settings.loginWhy')}</p>
          </div>
          <Switch
            on={settings.startAtLogin}
            name={t('settings.login')}
            onChange={(startAtLogin) => store.changeSettings({ startAtLogin })}
          />
        </div>
      )}
    </>
  );
}

function Pause({ state, now }: { state: ServiceState; now: number }) {
  const words = useWords();
  const { run, fault } = useCall('pause');
  const { pausedUntilMs, maxPauseMinutes } = state;
  return (
    <section>
      <h2>{words.t('settings.pause')}</h2>
      <p className="mute s">
        {pausedUntilMs === null
          ? words.t('settings.pauseMost', { duration: words.duration(maxPauseMinutes * 60_000) })
          : `${words.t('state.paused.title', { until: untilWords(words, pausedUntilMs, now) })}. ${words.t('state.paused.detail')}`}
      </p>
      <div className="row">
        {pausedUntilMs === null ? (
          pauseChoices(words, maxPauseMinutes, now).map(({ label, minutes }) => (
            <button key={minutes} type="button" className="btn" onClick={() => void run({ minutes })}>
              {label}
            </button>
          ))
        ) : (
          <button type="button" className="btn" onClick={() => void run({ minutes: 0 })}>
            {words.t('menu.resume')}
          </button>
        )}
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {faultWords(words, fault)}
        </p>
      ) : null}
    </section>
  );
}

/** The answer to the disclosure, which may be changed at any time; only where policy asked for one. */
function Consent({ state, onReview }: { state: ServiceState; onReview: () => void }) {
  const { t } = useWords();
  const { run } = useCall('answerDisclosure');
  const declined = state.disclosure === 'declined';
  if (!declined && !(state.mustAccept && state.disclosure === 'accepted')) return null;
  return (
    <section>
      <h2>{t('settings.consent')}</h2>
      <p className="mute s">{t(declined ? 'settings.declined' : 'settings.accepted')}</p>
      <div className="row">
        <button type="button" className="btn" onClick={onReview}>
          {t('menu.seeCollected')}
        </button>
        {declined ? null : (
          <button type="button" className="btn" onClick={() => void run({ answer: 'declined' })}>
            {t('settings.decline')}
          </button>
        )}
      </div>
    </section>
  );
}

/** Language, theme, start at login, pause, the answer, and where results go. */
export function SettingsPage({ snapshot, onReview }: { snapshot: Snapshot; onReview: () => void }) {
  const words = useWords();
  const now = useNow(15_000);
  const { link, desktop } = snapshot;
  const place = desktop.tray ? words.t(`welcome.where.${desktop.platform}`) : words.t('welcome.where.none');
  return (
    <PageFrame tab="settings">
      <h1 className="sr">{words.t('tab.settings')}</h1>
      <LanguageAndTheme snapshot={snapshot} />
      {link.reachable ? (
        <>
          <Pause state={link.state} now={now} />
          <Consent state={link.state} onReview={onReview} />
          <Connection
            state={link.state}
            keyStore={desktop.keyStore}
            since={link.state.offlineSinceMs === null ? null : sinceWords(words, link.state.offlineSinceMs, now)}
          />
        </>
      ) : (
        <p className="fault" role="alert">
          {words.t('call.unreachable')}
        </p>
      )}
      <p className="mute s below">{place}</p>
    </PageFrame>
  );
}
