import { LostChunkError } from './load-chunk.ts';

/** What an error page has caught, for the browser's log: a lost chunk is mended by its page, so it is no error for whoever reads that. */
export function reportCaught(error: unknown, { componentStack }: { componentStack?: string | undefined }): void {
  if (error instanceof LostChunkError) console.warn(error.message, error.cause);
  else console.error(error, componentStack);
}
