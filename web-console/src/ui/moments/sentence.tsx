import type { SentencePart } from '@svc/contracts/judged/sentence';
import { Time } from './time.tsx';

const placed = (parts: readonly SentencePart[]) => parts.map((part, at) => ({ part, key: `${at}` }));

/** A sentence whose instants are shown on the viewer's clock, with UTC on hover. */
export function Sentence({ parts, now }: { parts: readonly SentencePart[]; now?: number }) {
  const seen = now ?? Date.now();
  return placed(parts).map(({ part, key }) => (typeof part === 'string' ? part : <Time key={key} at={part.at} now={seen} />));
}
