import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { parseSearch } from '../ui/address/search-params.ts';
import { watchFocus } from '../ui/focus/use-return-focus.ts';
import { reportCaught } from '../ui/lost-chunk/report-caught.ts';
import { createHoldingClient } from '../ui/stale/holding-client.ts';
import { ConsoleRoot } from './console-root.tsx';
import { createConsoleRouter } from './router.tsx';

const queryClient = createHoldingClient();

const router = createConsoleRouter({
  queryClient,
  opened: parseSearch(location.search),
});

watchFocus();
const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root.');
createRoot(container, { onCaughtError: reportCaught }).render(
  <StrictMode>
    <ConsoleRoot queryClient={queryClient}>
      <RouterProvider router={router} />
    </ConsoleRoot>
  </StrictMode>,
);
