import './styles.ts';
import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTheme } from './theme.ts';

const nonce = (): string => document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';

/** What every part of the console needs around it: the sheets, the theme, the client of its questions. */
export function ConsoleRoot({ queryClient, children }: { queryClient: QueryClient; children: ReactNode }) {
  return (
    <MantineProvider getStyleNonce={nonce} forceColorScheme={useTheme()} withGlobalClasses={false} withStaticClasses={false}>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}
