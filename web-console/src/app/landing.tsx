import { Navigate } from '@tanstack/react-router';
import { useListedPages } from '../ui/page/use-listed-pages.ts';

/** The first page that the reader may open; settings have something for everybody. */
export function Landing() {
  const [first] = useListedPages();
  return <Navigate to={first?.path ?? '/settings'} replace />;
}
