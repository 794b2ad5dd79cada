import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/controls.css';
import '../ui/tables.css';
import '../ui/kit.css';
import '../ui/panels.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchFocus } from '../ui/focus/use-return-focus.ts';
import { reportCaught } from '../ui/lost-chunk/report-caught.ts';
import { parseSearch } from '../ui/search-params.ts';
import { createHoldingClient } from '../ui/stale/holding-client.ts';
import { createConsoleRouter } from './router.tsx';
import { useTheme } from './theme.ts';

const queryClient = createHoldingClient();

const router = createConsoleRouter({
  queryClient,
  opened: parseSearch(location.search),
});

const nonce = (): string => document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';

function Root() {
  return (
    <MantineProvider getStyleNonce={nonce} forceColorScheme={useTheme()} withGlobalClasses={false} withStaticClasses={false}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

watchFocus();
const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root.');
createRoot(container, { onCaughtError: reportCaught }).render(
  <StrictMode>
    <Root />
  </StrictMode>,
);
