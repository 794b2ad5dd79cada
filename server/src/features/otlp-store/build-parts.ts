import type { BatchToBuild, BuildThread, BuiltBatch } from './thread.ts';

/** Some messages of a batch, built. `refused` are places in the whole batch. */
export interface BatchPart extends Omit<BuiltBatch, 'taken'> {
  /** The batch's messages are not read any more. */
  isLast: boolean;
}

/**
 * Builds a batch part by part, nearly always as one: the next part is built when this one is stored, so that what messages expand to is never
 * held all at once. No message is in two parts: the store has each day of it whole or not at all.
 */
export async function* buildParts(thread: Pick<BuildThread, 'build'>, batch: BatchToBuild): AsyncGenerator<BatchPart> {
  let places = batch.messages.map((_, place) => place);
  do {
    const messages = places.length === batch.messages.length ? batch.messages : batch.messages.filter(isAmong(places));
    const { taken, ...built } = await thread.build({ ...batch, messages });
    const refused = built.refused.map((i) => places[i] as number);
    const isRefused = new Set(refused);
    places = places.slice(taken).filter((place) => !isRefused.has(place));
    yield { ...built, refused, isLast: places.length === 0 };
  } while (places.length > 0);
}

function isAmong(places: readonly number[]) {
  const wanted = new Set(places);
  return (_: unknown, place: number): boolean => wanted.has(place);
}
