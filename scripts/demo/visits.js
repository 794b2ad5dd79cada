// What simulated visitors of the demo's shop see, by the clock alone: whoever starts the demo again finds the same.
const MINUTE_MS = 60_000;

/** So long each: the verdict's own window is 15 minutes, so that each stretch gets to be seen. */
export const STRETCH_MINUTES = 30;

/** Users and tests of the checkout, one stretch after another: all four verdicts. */
export const STRETCHES = [
  { usersHurt: false, testsFail: false },
  { usersHurt: true, testsFail: true },
  { usersHurt: false, testsFail: true },
  { usersHurt: true, testsFail: false },
];

/** @param {number} nowMs */
export const stretchAt = (nowMs) => STRETCHES[Math.floor(nowMs / MINUTE_MS / STRETCH_MINUTES) % STRETCHES.length];

const PAGES = ['/', '/', '/', '/product/1207', '/product/88', '/cart', '/search', '/checkout', '/checkout', '/order/4711'];
const BROWSERS = ['chrome', 'chrome', 'chrome', 'safari', 'safari', 'firefox', 'edge', 'other'];

/** Middle and spread of each vital on a page that is well: a visitor's own is the middle times a lognormal factor. */
const USUAL = { ttfb_ms: 260, fcp_ms: 900, lcp_ms: 1300, inp_ms: 110, load_ms: 1700 };
const SPREAD = 0.45;
/** A checkout that hurts: its first byte waits for a provider of payments. */
const WAIT_MS = 3200;

const pick = (list, random) => list[Math.floor(random() * list.length)];
/** By Box and Muller, of two numbers that spread evenly. */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * The beacon of one visit, as the SDK writes it.
 * @param {{ key: string, host: string, hurt: boolean }} of
 * @param {() => number} random 0 to 1
 */
export function visitBeacon({ key, host, hurt }, random) {
  const slow = Math.exp(SPREAD * normal(random));
  const waits = hurt && random() < 0.9 ? WAIT_MS * (0.8 + 0.4 * random()) : 0;
  const vital = (name) => Math.round(USUAL[name] * slow * Math.exp(0.15 * normal(random)) + (name === 'inp_ms' ? 0 : waits));
  const isLast = random() < 0.25;
  return {
    ...{ v: 1, key, consent: true, host, page: pick(PAGES, random), browser: pick(BROWSERS, random) },
    vitals: {
      ...{ ttfb_ms: vital('ttfb_ms'), fcp_ms: vital('fcp_ms'), lcp_ms: vital('lcp_ms'), load_ms: vital('load_ms') },
      // Who only looks leaves without an input.
      ...(isLast ? {} : { inp_ms: vital('inp_ms') }),
      cls: Number((0.03 * Math.exp(0.8 * normal(random))).toFixed(4)),
    },
    errors: random() < 0.006 ? 1 : 0,
    failed_requests: hurt && random() < 0.05 ? 1 : 0,
    sdk: '1.0.0',
  };
}
