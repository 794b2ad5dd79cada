import type { CDPSession, Page } from 'playwright-core';

/** A script of our own beside the page's: it shares the document, and nothing that a page can bend. */
export interface IsolatedWorld {
  /** Value of an expression, of a second at most; undefined where the page does not let it run. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly session: CDPSession;
  readonly close: () => Promise<void>;
}

export async function openIsolatedWorld(page: Page): Promise<IsolatedWorld> {
  const session = await page.context().newCDPSession(page);
  return {
    session,
    async evaluate(expression) {
      try {
        const { frameTree } = await session.send('Page.getFrameTree');
        const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
          frameId: frameTree.frame.id,
          worldName: 'svc',
        });
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
          expression,
          contextId,
          awaitPromise: true,
          returnByValue: true,
          timeout: 1000,
        });
        return exceptionDetails ? undefined : result.value;
      } catch {
        return undefined;
      }
    },
    close: () => session.detach().catch(() => undefined),
  };
}
