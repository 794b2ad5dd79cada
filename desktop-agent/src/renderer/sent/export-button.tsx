import { useRef, useState } from 'react';
import { useStore } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { useWords } from '../words-context.ts';
import { exportLedger } from './export-ledger.ts';

type Progress = 'idle' | 'saved' | 'failed' | { done: number; total: number };

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
    const text = await exportLedger(bridge, {
      search,
      // Each hundredth is enough for the eye.
      onProgress: (done, total) => {
        if (done === total || done % 100 === 0) setProgress({ done, total });
      },
      isCancelled: () => cancelled.current,
    }).catch(() => undefined);
    if (text === null) setProgress('idle');
    else setProgress(text !== undefined && (await bridge.saveFile('what-was-sent.json', text)) ? 'saved' : 'failed');
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
