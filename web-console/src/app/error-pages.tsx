import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { LostChunkError } from '../ui/lost-chunk/load-chunk.ts';
import { LostChunkPage } from '../ui/lost-chunk/lost-chunk-page.tsx';
import { EmptyState } from '../ui/placeholders/empty-state.tsx';
import { Failure } from '../ui/placeholders/failure.tsx';

/** What a page shows when it broke: the reason, and a way on that loses nothing from the URL. */
export function RouteErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const queries = useQueryClient();
  // The answer that broke the page would break it again: what no page on screen uses is asked for anew.
  const retry = (): void => {
    queries.removeQueries({ type: 'inactive' });
    reset();
  };
  if (error instanceof LostChunkError) return <LostChunkPage />;
  return <Failure error={error} retry={retry} kept="The address keeps your filters." />;
}

/** What stands where the shell itself broke. Its link loads the console anew. */
export function ShellErrorPage(props: { error: unknown; reset: () => void }) {
  return (
    <main className="main">
      <RouteErrorPage {...props} />
      <nav aria-label="Pages">
        <a href="/fleet">Open the fleet</a>
      </nav>
    </main>
  );
}

export function NotFoundPage() {
  useEffect(() => {
    document.title = 'Page not found';
  }, []);
  return (
    <EmptyState icon="unknown" title="There is no such page">
      <p>
        The link may be from another version. <Link to="/fleet">Open the fleet</Link>
      </p>
    </EmptyState>
  );
}
