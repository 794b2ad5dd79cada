import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state.tsx';
import { Failure } from '../ui/failure.tsx';

/** What a page shows when it broke: the reason, and a way on that loses nothing from the URL. */
export function RouteErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const stale = error instanceof Error && /dynamically imported module|Importing a module script/.test(error.message);
  if (stale) {
    return (
      <EmptyState icon="update" title="This console was updated" alert>
        <p>
          The page belongs to a newer version.{' '}
          <button type="button" className="linkish" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      </EmptyState>
    );
  }
  return <Failure error={error} retry={reset} kept="The address keeps your filters." />;
}

export function NotFoundPage() {
  return (
    <EmptyState icon="unknown" title="There is no such page">
      <p>
        The link may be from another version. <Link to="/fleet">Open the fleet</Link>
      </p>
    </EmptyState>
  );
}
