import { useRef, useState } from 'react';
import type { AgentBridge } from '../bridge.ts';
import { useStore } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { useWords } from '../words-context.ts';
import { exportLedger } from './export-ledger.ts';

type Progress = 'idle' | 'saved' | 'failed' | { done: number; total: number };

/** False where the person cancelled one of them, or main refused it. */
async function saveAll(bridge: AgentBridge, documents: readonly string[]): Promise<boolean> {
  for (const [index, text] of documents.entries()) {
    const name = documents.length === 1 ? 'what-was-sent.json' : `what-was-sent-${index + 1}.json`;
    if (!(await bridge.saveFile(name, text).catch(() => false))) return false;
  }
  return true;
}

/** Reads all that matches the search, says how far it is, can be cancelled, then asks where to save it. */
export function ExportButton({ search }: { search: string }) {
  const { t } = useWords();
  const { bridge } = useStore();
  const [progress, setProgress] = useState<Progress>('idle');
  const cancelled = useRef(false);
  const running = typeof progress === 'object';
  const start = async (): Promise<void> => {
    cancelled.current = false;
    setProgress({ done: 0, total: 0 });
    const documents = await exportLedger(bridge, {
      search,
      // Each hundredth is enough for the eye.
      onProgress: (done, total) => {
        if (done === total || done % 100 === 0) setProgress({ done, total });
      },
      isCancelled: () => cancelled.current,
    }).catch(() => undefined);
    if (documents === null) setProgress('idle');
    else setProgress(documents !== undefined && (await saveAll(bridge, documents)) ? 'saved' : 'failed');
  };
  return (
    <>
      <button
        type="button"
        className="btn"
        aria-label={running ? undefined : t('sent.export')}
        onClick={() => {
          if (running) cancelled.current = true;
          else void start();
        }}
      >
        <Icon name={running ? 'cross' : 'download'} size={14} />
        {running ? t('sent.cancel') : t('sent.json')}
      </button>
      <p role="status" className={progress === 'idle' ? 'sr' : 'export xs mute'}>
        {running ? t('sent.exporting', progress) : ''}
        {progress === 'saved' ? t('sent.saved') : ''}
        {progress === 'failed' ? t('sent.notSaved') : ''}
      </p>
    </>
  );
}
