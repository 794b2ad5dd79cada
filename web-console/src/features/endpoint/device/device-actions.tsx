import type { EndpointRow, Verdict } from '@svc/contracts/endpoint/view';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { tell } from '../../../api.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { Pop } from '../../../ui/controls/floating.tsx';
import { useDraftOpen } from '../../../ui/draft/use-draft.ts';
import { loadChunk } from '../../../ui/lost-chunk/load-chunk.ts';
import { refusalWords } from '../../../ui/permission/permission-words.ts';

const NO_WRITE = refusalWords('agent.write');
/** States in which a device measures nothing, whoever asks. */
const REFUSES: Readonly<Partial<Record<Verdict, string>>> = {
  paused: 'The person there has paused it: nothing is measured until the pause ends',
  declined: 'The person there declined to be measured',
  update_required: 'Its agent is too old to talk to this server',
};
/** A run takes about this long until its results are stored. */
const RUN_MS = 20_000;

function RunNow({ row, mayWrite }: { row: EndpointRow; mayWrite: boolean }) {
  const { id } = row;
  const queryClient = useQueryClient();
  const [left, setLeft] = useState(0);
  const run = useMutation({
    mutationFn: () => tell('fleet.runNow', { id }),
    onSuccess: (answer) => setLeft(answer.connected ? RUN_MS / 1000 : 0),
  });
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => {
      setLeft(left - 1);
      if (left % 5 === 1) void queryClient.invalidateQueries({ queryKey: ['endpoint.device', id] });
    }, 1000);
    return () => clearTimeout(timer);
  }, [left, id, queryClient]);
  return (
    <>
      <Button
        look="primary"
        icon="play"
        busy={run.isPending || left > 0}
        unavailable={mayWrite ? REFUSES[row.verdict] : NO_WRITE}
        onClick={() => run.mutate()}
      >
        {left > 0 ? `Measuring, ${left} s left` : 'Measure now'}
      </Button>
      <span role="status" className="s soft actnote">
        {run.data && !run.data.connected ? 'It holds no connection now; it measures when it is back.' : ''}
        {run.error ? run.error.message : ''}
      </span>
    </>
  );
}

/** Opened on demand, so that the page does not load them before. */
const EditDialog = lazy(loadChunk(() => import('./device-dialogs.tsx').then((module) => ({ default: module.EditDialog }))));
const EndDialog = lazy(loadChunk(() => import('./device-dialogs.tsx').then((module) => ({ default: module.EndDialog }))));

const ENDINGS = { retire: 'Retire this device', revoke: 'Revoke this device’s certificate' } as const;

/** What may be done to a device, beside its sentence. */
export function DeviceActions({ row, mayWrite }: { row: EndpointRow; mayWrite: boolean }) {
  const [wasEdited] = useDraftOpen(`device.${row.id}`);
  const [open, setOpen] = useState<'edit' | keyof typeof ENDINGS | undefined>(wasEdited ? 'edit' : undefined);
  const close = (): void => setOpen(undefined);
  return (
    <div className="acts">
      <RunNow row={row} mayWrite={mayWrite} />
      {mayWrite ? (
        <>
          <Button onClick={() => setOpen('edit')}>Name, site, owner</Button>
          <Pop
            width={200}
            position="bottom-end"
            target={(shown, toggle) => (
              <Button aria-expanded={shown} onClick={toggle}>
                Retire or revoke
              </Button>
            )}
          >
            {(hide) => (
              <ul className="list">
                {(['retire', 'revoke'] as const).map((kind) => (
                  <li key={kind} className="flush">
                    <button
                      type="button"
                      className="opt"
                      onClick={() => {
                        hide();
                        setOpen(kind);
                      }}
                    >
                      {ENDINGS[kind]}
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </Pop>
        </>
      ) : null}
      <Suspense fallback={null}>
        {open === 'edit' ? <EditDialog row={row} onClose={close} /> : null}
        {open === 'retire' || open === 'revoke' ? (
          <EndDialog row={row} kind={open} title={`${ENDINGS[open]}?`} onClose={close} />
        ) : null}
      </Suspense>
    </div>
  );
}
