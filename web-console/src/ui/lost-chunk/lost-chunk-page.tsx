import { useEffect, useState } from 'react';
import { Button } from '../controls/controls.tsx';
import { EmptyState } from '../placeholders/empty-state.tsx';
import { mayReload, recoverChunk } from './reload-once.ts';

const PROBE_EVERY_MS = 5000;

/** The console's own page: it needs no session, and a proxy that stands for a server that is away does not answer it with 200. */
const probe = async (): Promise<boolean> => (await fetch('/', { cache: 'no-store' })).ok;

export type LostState = 'reloading' | 'silent' | 'lost';

/** In place of a page whose code could not be loaded: loads the console anew, once, or leaves that to the reader. */
export function LostChunkPage() {
  const [state, setState] = useState<LostState>('reloading');
  useEffect(() => {
    const abort = new AbortController();
    void recoverChunk({
      probe,
      mayReload: () => mayReload(() => sessionStorage, Date.now()),
      reload: () => location.reload(),
      wait: () => new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS)),
      onSilence: () => setState('silent'),
      onLost: () => setState('lost'),
      signal: abort.signal,
    });
    return () => abort.abort();
  }, []);
  return <LostChunkNotice state={state} onReload={() => location.reload()} />;
}

export function LostChunkNotice({ state, onReload }: { state: LostState; onReload: () => void }) {
  if (state === 'reloading') {
    return (
      <EmptyState icon="update" title="Loading the current version">
        <p>The console was probably updated. The address is kept.</p>
      </EmptyState>
    );
  }
  if (state === 'silent') {
    return (
      <EmptyState icon="noContact" title="The server does not answer" alert>
        <p>The code of this page could not be loaded. It loads automatically when the server answers; the address is kept.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="warning" title="This page could not be loaded" alert>
      <p>
        Its code is missing on the server, also after a reload. An upgrade may be under way: wait a minute and reload. If that
        does not help, ask whoever operates this server.
      </p>
      <p>
        <Button onClick={onReload}>Reload</Button>
      </p>
    </EmptyState>
  );
}
