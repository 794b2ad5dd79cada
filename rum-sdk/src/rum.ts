// All of the SDK. Each visitor of each page loads every byte of it, so it is written short, in ways that the rest of this repository is
// not: compile.js puts it into a script and into a function of a module. What must hold is in docs/rum/sent.md and in the tests.

import type { Rum, RumOptions } from './options.ts';

/** What is read of the entries of all types: told apart by their properties, so that what a browser lacks stays absent. */
interface Entry extends PerformanceEntry {
  /** Of largest-contentful-paint. */
  size?: number;
  /** Of layout-shift. */
  hadRecentInput?: number;
  value: number;
  /** Of event and first-input. */
  interactionId?: number;
  /** Of resource. */
  responseStatus: number;
}
type Navigation = PerformanceNavigationTiming & { activationStart: number };
type PageEvent = Event & { persisted?: boolean };

/** The kind of a view. */
const LANDING = 0;
const RESTORED = 1;
const ROUTE = 2;

/** Bounds of the beacon's schema: one value beyond them would have the whole beacon refused. */
const MOST_MS = 6e5;
const MOST_COUNT = 1e4;

/** Replaced by the build: the attributes of the script or what createRum is given, and the version in package.json. */
declare const OPTIONS: RumOptions;
declare const VERSION: string;

const win: Window & { LayoutShift?: unknown; navigation?: EventTarget } = window;
const doc: Document & { prerendering?: boolean } = document;
const { key, endpoint, spa } = OPTIONS;
const nav: Navigator & { globalPrivacyControl?: boolean; doNotTrack?: unknown } = navigator;
const perf = performance as Performance & { interactionCount: number };
const readPath = () => location.pathname;
const frame = requestAnimationFrame;
// Taken before the page wraps it: no headers of a tracer, which would need a preflight, and no one else's count of our request.
const send = fetch;
/** Where a browser keeps no entries of visibility-state: when the page was in the background as far as is known. */
const background = doc.hidden && !doc.prerendering ? 0 : MOST_MS;

/** Armed while set; one abort ends all that listens and sends. */
let control: (AbortController & { capture?: unknown }) | undefined | void;
/** One for all types. */
let observer: PerformanceObserver | undefined;
let kind = LANDING;
/** Interactions of the document before the view. */
let countBefore = 0;
let path = readPath();
let timesSent = 0;

/** Of the landing view: its numbers fill in as they come. */
let navigation: Navigation;
/** Of the activation, where the page was prerendered. */
let start: number;
/** When the page was first in the background; what was painted before a later view is not of that one. */
let hidden: number;
let lcp: number | undefined;
let fcp: number | undefined;
let cls: number;
let windowSum: number;
let windowFirst: number | undefined;
let windowLast: number;
/** The longest event of each. */
let interactions: Record<number, number>;
/** Never set: JSON leaves it out. */
let absent: undefined;
let errors: number;
let failed: number;

/** Without a kind, the view that is there: consent given again goes on with it. */
const begin = (next?: number): void => {
  if (next) {
    kind = next;
    countBefore = perf.interactionCount;
    path = readPath();
    timesSent = 0;
  }
  lcp = fcp = windowFirst = absent;
  cls = windowLast = errors = failed = 0;
  interactions = {};
  navigation = (perf.getEntriesByType('navigation')[kind] || 0) as Navigation;
  hidden = kind ? 0 : background;
};

const take = (entries: PerformanceEntryList): void => {
  for (const { startTime, duration, name, size, hadRecentInput, value, interactionId, responseStatus } of entries as Entry[]) {
    if (startTime < hidden) {
      if (size) lcp = startTime;
      // first-contentful-paint, and not first-paint.
      if (/^f.*-c/.test(name)) fcp = startTime;
      // Entries come in the order of their times. A page is hidden from 0 on while it is prerendered; else `background` knows of that.
      if (name == 'hidden' && !(startTime <= navigation.activationStart)) hidden = startTime;
    }
    // False, and not undefined: a layout shift that no input explains.
    if (hadRecentInput == 0) {
      if (!(startTime - windowLast < 1e3 && startTime - windowFirst! < 5e3)) {
        windowSum = 0;
        windowFirst = startTime;
      }
      windowSum += value;
      windowLast = startTime;
      if (windowSum > cls) cls = windowSum;
    }
    interactionId && (interactions[interactionId]! > duration || (interactions[interactionId] = duration));
    // Neither our own beacons nor the icon that a browser asks for, whether a site has one or not.
    if (responseStatus > 399 && !name.endsWith(endpoint) && !/\.ico$/.test(name))
      failed += (failed < MOST_COUNT) as unknown as number;
  }
};

/** From the start of the view; absent where it was not measured. */
const ms = (at: number | undefined): number | undefined => ((at! -= start) < MOST_MS ? (at! > 0 ? at! | 0 : 0) : absent);

/** Asynchronous, so that whatever goes wrong in a page that has replaced this or that ends here and is no error of the page. */
const end = async (): Promise<void> => {
  try {
    // At every hide: what is queued is of this view and not of the next one.
    take(observer?.takeRecords() || []);
    start = navigation.activationStart | 0;
    // None is other.
    let browser: string | undefined;
    for (const name of ['safari', 'chrome', 'firefox', 'edge']) if (nav.userAgent.includes(name.slice(1, 3))) browser = name;
    // An array of machine numbers: sorted by size, and out of reach of what a page does to Array.prototype.
    const durations = Float64Array.from(Object.values(interactions)).sort();
    const count = perf.interactionCount - countBefore;
    const loaded = navigation.loadEventEnd;
    timesSent++ ||
      (await send(endpoint, {
        method: 'POST',
        // A string goes as text/plain, for which no browser asks beforehand.
        body: JSON.stringify({
          v: 1,
          key,
          consent: true,
          host: location.hostname,
          page: path,
          browser,
          vitals: {
            ttfb_ms: ms(kind == RESTORED ? 0 : navigation.responseStart),
            fcp_ms: ms(fcp),
            lcp_ms: ms(lcp),
            // One of each fifty interactions may be as slow as it likes. All shorter than the threshold: half of it.
            inp_ms: ms((durations.at(~(count / 50)) ?? durations[0] ?? (count ? 8 : absent))! + start),
            load_ms: ms((loaded < hidden && loaded) || absent),
            // Nothing was seen, or the browser tells of no shifts: absent, and not 0.
            cls: win.LayoutShift && ((fcp! >= 0) as unknown as number) | (kind & ROUTE) ? cls : absent,
          },
          errors,
          failed_requests: failed,
          sdk: VERSION,
        }),
        keepalive: true,
        // Neither cookies nor the address with its query, also where the endpoint is of the same origin.
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
      }));
  } catch {}
};

/** All events come here and are told apart by what they have: shorter than by their names. */
const onEvent = (event: PageEvent, target = event.target, persisted = event.persisted): unknown =>
  // An error or a rejection. An element that was not loaded is its own target: its status is counted.
  target == win
    ? (errors += (errors < MOST_COUNT) as unknown as number)
    : persisted
      ? (begin(RESTORED), frame(() => frame(() => (lcp = fcp = perf.now() - event.timeStamp))))
      : // Another pageshow says false. What was never shown is not sent when its route changes.
        (persisted ?? (doc.hidden ? target == doc && end() : (spa as string) + 1 && readPath() != path && (end(), begin(ROUTE))));

export const rum: Rum = {
  consent() {
    if (control || !endpoint || nav.webdriver || nav.globalPrivacyControl || (nav.doNotTrack as unknown as number) > 0) return;
    control = new AbortController();
    // Ahead of the page's own listeners, which may stop the event.
    control.capture = 1;
    begin();
    for (const type of ['currententrychange', 'error', 'unhandledrejection', 'pageshow', 'visibilitychange'])
      (type < 'd' ? win.navigation : win)?.addEventListener(type, onEvent as EventListener, control as AddEventListenerOptions);
    try {
      observer = new PerformanceObserver((entries) => take(entries.getEntries()));
      // What was buffered is of the landing view, or was told already.
      for (const type of [
        'visibility-state',
        'largest-contentful-paint',
        'layout-shift',
        'event',
        'first-input',
        'paint',
        'resource',
      ])
        observer.observe({ type, buffered: !kind, durationThreshold: 16 } as PerformanceObserverInit);
    } catch {}
  },
  withdraw() {
    control?.abort();
    control = observer?.disconnect();
  },
};
