/** What a script has set up in a page and handed to the browser for sending. */
export interface Tally {
  observers: number;
  listeners: number;
  timers: number;
  cookies: number;
  storage: number;
  requests: number;
}

/** A request as the script made it; it never left. */
export interface CaughtRequest {
  body: string;
  method: string;
  credentials: string;
  referrerPolicy: string;
}

type FrameWindow = Window & typeof globalThis;

/**
 * Counts in the frame's own realm what a script does, from now on: whatever ran in the page before is not counted. Requests are caught
 * and none leaves; the frame's policy would refuse them besides. `onChange` follows each of them.
 */
export function watchFrame(frame: FrameWindow, onChange: (tally: Tally, caught: readonly CaughtRequest[]) => void) {
  const tally: Tally = { observers: 0, listeners: 0, timers: 0, cookies: 0, storage: 0, requests: 0 };
  const caught: CaughtRequest[] = [];
  const count = (what: keyof Tally, by: number): void => {
    tally[what] += by;
    onChange({ ...tally }, [...caught]);
  };
  catchRequests(frame, (request) => {
    caught.push(request);
    count('requests', 1);
  });
  countObservers(frame, (by) => count('observers', by));
  countListeners(frame, (by) => count('listeners', by));
  countTimers(frame, () => count('timers', 1));
  countWrites(frame, (what) => count(what, 1));
  onChange({ ...tally }, []);
}

function catchRequests(frame: FrameWindow, onRequest: (request: CaughtRequest) => void): void {
  const take = (body: unknown, init: RequestInit = {}): void =>
    onRequest({
      body: String(body ?? ''),
      method: init.method ?? 'GET',
      credentials: init.credentials ?? 'same-origin',
      referrerPolicy: init.referrerPolicy ?? '',
    });
  frame.fetch = (_, init) => {
    take(init?.body, init);
    // As the server answers.
    return Promise.resolve(new frame.Response('{"accepted":true}', { status: 202 }));
  };
  frame.navigator.sendBeacon = (_, body) => {
    take(body, { method: 'POST', credentials: 'include' });
    return true;
  };
  frame.XMLHttpRequest.prototype.send = (body) => take(body);
}

function countObservers(frame: FrameWindow, count: (by: number) => void): void {
  const { observe, disconnect } = frame.PerformanceObserver.prototype;
  const watching = new Set<PerformanceObserver>();
  frame.PerformanceObserver.prototype.observe = function (options) {
    observe.call(this, options);
    if (watching.has(this)) return;
    watching.add(this);
    count(1);
  };
  frame.PerformanceObserver.prototype.disconnect = function () {
    disconnect.call(this);
    if (watching.delete(this)) count(-1);
  };
}

function countListeners(frame: FrameWindow, count: (by: number) => void): void {
  const { addEventListener, removeEventListener } = frame.EventTarget.prototype;
  frame.EventTarget.prototype.addEventListener = function (type, listener, options) {
    addEventListener.call(this, type, listener, options);
    count(1);
    // By the frame's own method as it was, or this listener would be counted too.
    if (typeof options === 'object' && options.signal) addEventListener.call(options.signal, 'abort', () => count(-1));
  };
  frame.EventTarget.prototype.removeEventListener = function (type, listener, options) {
    removeEventListener.call(this, type, listener, options);
    count(-1);
  };
}

function countTimers(frame: FrameWindow, count: () => void): void {
  const { setTimeout: timeout, setInterval: interval } = frame;
  frame.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    count();
    return timeout.apply(frame, args);
  }) as typeof setTimeout;
  frame.setInterval = ((...args: Parameters<typeof setInterval>) => {
    count();
    return interval.apply(frame, args);
  }) as typeof setInterval;
}

function countWrites(frame: FrameWindow, count: (what: 'cookies' | 'storage') => void): void {
  const { setItem } = frame.Storage.prototype;
  frame.Storage.prototype.setItem = function (key, value) {
    count('storage');
    setItem.call(this, key, value);
  };
  const open = frame.indexedDB.open.bind(frame.indexedDB);
  frame.indexedDB.open = (...args) => {
    count('storage');
    return open(...args);
  };
  // Kept from the console's own cookies: whatever is set here is counted and dropped.
  Object.defineProperty(frame.document, 'cookie', { configurable: true, get: () => '', set: () => count('cookies') });
}
