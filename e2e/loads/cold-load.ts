import type { Browser } from '@playwright/test';
import { waitForPage } from '../crawl/read-page.ts';
import type { Session } from '../stack/demo.ts';

/** Of the page itself: what the browser has to have before it can show anything. Answers of the API are not part of it. */
const OF_PAGE: ReadonlySet<string> = new Set(['Document', 'Stylesheet', 'Script', 'Font']);

export interface ColdLoad {
  /** Bytes of document, scripts, styles and fonts as they crossed the network: compressed, without the heads of the answers. */
  pageBytes: number;
  /** Bytes of the API's answers as they crossed the network. */
  answerBytes: number;
  /** Processor time of the page's main thread until the page stands with its data, ms; what others take of the machine is not in it. */
  mainThreadMs: number;
  /** Of it, scripts. */
  scriptMs: number;
  /** From the address to the page with its data, ms. */
  settledMs: number;
  /** Answers of more than 10 kB that came as they are, by their procedure. */
  uncompressed: string[];
}

interface Opened {
  url: string;
  path: string;
  storageState: Session;
}

/** Opens a page of the console as a browser does that was never there. */
export async function measureColdLoad(browser: Browser, { url, path, storageState }: Opened): Promise<ColdLoad> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width: 1440, height: 1200 },
    storageState,
  });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const kinds = new Map<string, string>();
    const heads = new Map<string, number>();
    const plain = new Map<string, string>();
    const load: ColdLoad = { pageBytes: 0, answerBytes: 0, mainThreadMs: 0, scriptMs: 0, settledMs: 0, uncompressed: [] };
    session.on('Network.responseReceived', ({ requestId, type, response }) => {
      kinds.set(requestId, type);
      heads.set(requestId, response.encodedDataLength);
      const names = Object.keys(response.headers).map((name) => name.toLowerCase());
      if (!names.includes('content-encoding')) plain.set(requestId, new URL(response.url).pathname);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const isOfPage = OF_PAGE.has(kinds.get(requestId) ?? '');
      load[isOfPage ? 'pageBytes' : 'answerBytes'] += encodedDataLength - (heads.get(requestId) ?? 0);
      const name = plain.get(requestId);
      if (!isOfPage && name && encodedDataLength > 10_000) load.uncompressed.push(name);
    });
    await session.send('Network.enable');
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const beganMs = performance.now();
    await page.goto(`${url}${path}`);
    const state = await waitForPage(page, { path, ms: 20_000 });
    if (!state.settled) throw new Error(`${path} did not settle: ${JSON.stringify(state)}`);
    load.settledMs = performance.now() - beganMs;
    const { metrics } = await session.send('Performance.getMetrics');
    const ms = (name: string): number => (metrics.find((one) => one.name === name)?.value ?? Number.NaN) * 1000;
    return { ...load, mainThreadMs: ms('TaskDuration'), scriptMs: ms('ScriptDuration') };
  } finally {
    await context.close();
  }
}
