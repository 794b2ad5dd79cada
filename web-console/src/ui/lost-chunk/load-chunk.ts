/** The code of a page or dialog could not be loaded; what the browser said is its cause. */
export class LostChunkError extends Error {
  constructor(cause: unknown) {
    super('The code of this page could not be loaded.', { cause });
    this.name = 'LostChunkError';
  }
}

/**
 * A dynamic import whose failure is told from a fault of the page itself. Every `lazy` and every route goes through it: the error page
 * then loads the console anew, which is what mends it after an upgrade. An import that fails while it is only preloaded harms nothing.
 */
export const loadChunk =
  <Module>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch((cause: unknown) => {
      throw new LostChunkError(cause);
    });
