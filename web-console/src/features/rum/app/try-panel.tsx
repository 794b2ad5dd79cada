import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useDrawnTheme } from '../../../ui/charts/use-size.ts';
import { Button, Segments } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import type { RumApp, RumApps } from '../rum-queries.ts';
import { type ConsentState, SentCard } from './sent-card.tsx';
import { type Barrier, barrierOf, type TriedScript, tryScript, VISITORS, type Visitor } from './try-frame.ts';
import type { CaughtRequest, Tally } from './watch-frame.ts';

/** Its query and fragment stand for what an address may hold of a person. */
const SAMPLE = '/framed/rum-sample.html?order=4711&mail=ana@shop.example#basket';

const BARRIER_WORDS: Readonly<Record<Barrier, string>> = {
  webdriver: 'This browser is driven by a program (navigator.webdriver): the script never starts, whatever the page calls.',
  gpc: 'This browser sends Global Privacy Control: the script never starts, whatever the page calls.',
  dnt: 'This browser sends Do Not Track: the script never starts, whatever the page calls.',
};

const VISITOR_WORDS: Readonly<Record<Visitor, string>> = {
  own: 'This browser',
  plain: 'One without signals',
  gpc: 'With Global Privacy Control',
  dnt: 'With Do Not Track',
};

const NOTHING: Tally = { observers: 0, listeners: 0, timers: 0, cookies: 0, storage: 0, requests: 0 };

interface Tried {
  script: TriedScript | undefined;
  failure: string | undefined;
  consent: ConsentState;
  tally: Tally;
  caught: readonly CaughtRequest[];
}

const FRESH: Tried = { script: undefined, failure: undefined, consent: 'asked', tally: NOTHING, caught: [] };

/** The script in the frame: begun anew with each load of the sample page. */
function useTried(frame: RefObject<HTMLIFrameElement | null>, { app, apps, visitor }: PanelProps & { visitor: Visitor }) {
  const [tried, setTried] = useState(FRESH);
  const { url, integrity } = apps.script;
  const key = app.keys[0]?.key ?? '';
  const begin = useCallback(() => {
    const inner = frame.current?.contentWindow;
    if (!inner) return;
    setTried(FRESH);
    const put = (part: Partial<Tried>): void => {
      // A late answer of a page that was loaded anew is of no interest.
      if (frame.current?.contentWindow === inner) setTried((before) => ({ ...before, ...part }));
    };
    tryScript(inner, {
      ...{ visitor, key, endpoint: apps.endpoint, script: { path: new URL(url).pathname, integrity } },
      onChange: (tally, caught) => put({ tally, caught }),
    })
      .then((script) => put({ script }))
      .catch((error: Error) => put({ failure: error.message }));
  }, [frame, visitor, key, url, integrity, apps.endpoint]);
  const consent = (given: boolean): void => {
    if (given) tried.script?.consent();
    else tried.script?.withdraw();
    setTried((before) => ({ ...before, consent: given ? 'given' : 'withdrawn' }));
  };
  return { tried, begin, consent };
}

interface PanelProps {
  app: RumApp;
  apps: RumApps;
}

/** The script that visitors get, in a sample page: what it sets up and would send before consent, after it, and after it is withdrawn. Nothing leaves. */
export function TryPanel({ app, apps }: PanelProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [visitor, setVisitor] = useState<Visitor>('own');
  const [run, setRun] = useState(0);
  const { tried, begin, consent } = useTried(frame, { app, apps, visitor });
  const { script } = tried;
  const consented = tried.consent === 'given';
  const theme = useDrawnTheme();
  useEffect(() => {
    const inner = frame.current?.contentDocument;
    if (inner?.documentElement) inner.documentElement.style.colorScheme = theme;
  }, [theme]);
  const offered = VISITORS.filter((one) => one !== 'plain' || barrierOf(navigator));
  return (
    <div className="rum-try">
      <section className="card" aria-labelledby="sample-h">
        <header>
          <h2 id="sample-h">A sample page with the script</h2>
          <span className="grow" />
          <Segments
            label="Visited with"
            options={offered.map((value) => ({ value, label: VISITOR_WORDS[value] }))}
            value={visitor}
            onChange={(next) => {
              setVisitor(next);
              setRun(run + 1);
            }}
          />
        </header>
        <iframe
          key={run}
          ref={frame}
          className="rum-frame"
          title="Sample page"
          src={SAMPLE}
          onLoad={(event) => {
            const inner = event.currentTarget.contentDocument;
            if (inner?.documentElement) inner.documentElement.style.colorScheme = theme;
            begin();
          }}
        />
        <div className="rum-tryacts">
          <Button
            look="primary"
            unavailable={whyNot(script, consented ? 'Consent is given.' : undefined)}
            onClick={() => consent(true)}
          >
            Give consent
          </Button>
          <Button unavailable={whyNot(script)} onClick={() => script?.leave()}>
            Leave the page
          </Button>
          <Button unavailable={whyNot(script, consented ? undefined : 'No consent is given.')} onClick={() => consent(false)}>
            Withdraw consent
          </Button>
          <Button look="quiet" onClick={() => setRun(run + 1)}>
            Load it anew
          </Button>
        </div>
        {tried.failure ? (
          <p className="err s rum-unjudged" role="alert">
            {tried.failure}
          </p>
        ) : null}
        {script?.barrier ? (
          <p className="note rum-coverage">
            <Icon name="eyeOff" size={14} /> {BARRIER_WORDS[script.barrier]}
          </p>
        ) : null}
      </section>
      <SentCard tally={tried.tally} caught={tried.caught} consent={script?.barrier ? 'asked' : tried.consent} />
    </div>
  );
}

const whyNot = (script: TriedScript | undefined, reason?: string): string | undefined =>
  script ? reason : 'The script is not loaded yet.';
