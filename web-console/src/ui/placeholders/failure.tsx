import type { ReactNode } from 'react';
import { ApiError } from '../../api.ts';
import { WayOn } from '../page/way-on.tsx';
import { EmptyState } from './empty-state.tsx';

/** The address names something by an id that no such thing has: of the right form (`not_found`) or not. */
export const isUnknownId = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'not_found' || error.faults.some(({ path }) => path === 'id'));

/** Refused for what it asks, so that asking the same again never helps. */
const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && ['forbidden', 'bad_request', 'validation'].includes(error.code);

/** A failed read in words: what happened, what is kept, and a way to try again. */
export function describeFailure(error: unknown): { title: string; text: string } {
  if (!(error instanceof ApiError))
    return { title: 'This page broke', text: error instanceof Error ? error.message : 'It gave no reason.' };
  if (error.code === 'network')
    return { title: 'The server did not answer', text: 'It may be restarting, or the network between you and it is down.' };
  if (error.code === 'forbidden') return { title: 'No permission', text: error.message };
  if (error.code === 'not_found') return { title: 'Not found', text: error.message };
  if (isUnknownId(error)) return { title: 'Not found', text: 'Nothing has the id in this address. The link may be incomplete.' };
  // Issues of the schema, in its own words: the page sent what its address said.
  if (error.code === 'bad_request' && error.faults.length > 0)
    return { title: 'This cannot be shown', text: 'The address holds a value that this page does not know.' };
  if (error.code === 'rate_limited') return { title: 'Too many requests', text: 'Wait a few seconds.' };
  const id = error.requestId ? ` Request ${error.requestId}.` : '';
  return { title: 'Failed', text: `${error.message}${id}` };
}

interface FailureProps {
  error: unknown;
  retry?: () => void;
  /** What the reader keeps, for example "Your filters are kept." */
  kept?: ReactNode;
}

export function Failure({ error, retry, kept }: FailureProps) {
  const { title, text } = describeFailure(error);
  const denied = error instanceof ApiError && error.code === 'forbidden';
  const refused = isRefused(error);
  return (
    <EmptyState icon={denied ? 'lock' : 'warning'} title={title} alert>
      <p>
        {text} {kept}
      </p>
      {retry && !refused ? (
        <p>
          <button type="button" className="linkish" onClick={retry}>
            Try again
          </button>
        </p>
      ) : null}
      {(refused || isUnknownId(error)) && !denied ? (
        <p>
          <WayOn />
        </p>
      ) : null}
      {denied ? <p>Someone with the role Administrator can grant it under People and tokens.</p> : null}
    </EmptyState>
  );
}
