import { createMemoryHistory, RouterContextProvider, RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { render } from 'vitest-browser-react';
import { ConsoleRoot } from '../app/console-root.tsx';
import { createConsoleRouter } from '../app/router.tsx';
import { parseSearch } from '../ui/address/search-params.ts';
import { createHoldingClient } from '../ui/stale/holding-client.ts';
import { type Answers, type FakeServer, startFakeServer, type WAITING } from './fake-server.ts';

function start(path: string) {
  const queryClient = createHoldingClient();
  const history = createMemoryHistory({ initialEntries: [path] });
  return { queryClient, router: createConsoleRouter({ queryClient, opened: parseSearch(path.split('?')[1] ?? '') }, history) };
}

/** Renders a part of a page with all that it finds around itself in the console, its sheets included. */
export async function show(part: ReactNode, path = '/') {
  const { queryClient, router } = start(path);
  const wrap = (inner: ReactNode): ReactNode => (
    <ConsoleRoot queryClient={queryClient}>
      <RouterContextProvider router={router}>
        <div id="main" tabIndex={-1}>
          {inner}
        </div>
      </RouterContextProvider>
    </ConsoleRoot>
  );
  const { container, rerender } = await render(wrap(part));
  return { container, router, rerender: (next: ReactNode) => rerender(wrap(next)) };
}

/** Opens a page in the whole console at an address, with the answers of a server that is not there. */
export async function openPage(
  path: string,
  answers: Answers,
  others?: typeof WAITING,
): Promise<{ container: HTMLElement; server: FakeServer; at: () => string; back: () => void }> {
  const server = startFakeServer(answers, others);
  const { queryClient, router } = start(path);
  const { container } = await render(
    <ConsoleRoot queryClient={queryClient}>
      <RouterProvider router={router} />
    </ConsoleRoot>,
  );
  return { container, server, at: () => router.state.location.href, back: () => router.history.back() };
}
