import type { TargetRule, WebhookDetail } from '@svc/contracts/changes/webhook';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { ask, tell } from '../../api.ts';
import { Button, IconButton } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { DraftNote } from '../../ui/draft/draft-note.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { refusalWords } from '../../ui/permission/permission-words.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { ACTIONS, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { isNetwork } from './changes-query.ts';

/** A row as it is typed: its place is a target, or a prefix where it reads as a network. */
interface TypedRow {
  key: number;
  repository: string;
  environment: string;
  path: string;
  place: string;
}

const emptyRow = (rows: readonly TypedRow[]): TypedRow => ({
  key: Math.max(0, ...rows.map(({ key }) => key)) + 1,
  ...{ repository: '', environment: '', path: '', place: '' },
});
const toTyped = ({ target, prefix, ...rule }: TargetRule, key: number): TypedRow => ({
  ...{ ...rule, key, place: target ?? prefix ?? '' },
});
const isPrefix = (place: string): boolean => place.includes('/') && isNetwork(place);

const toRule = ({ repository, environment, path, place }: TypedRow): TargetRule => ({
  ...{ repository: repository.trim(), environment: environment.trim(), path: path.trim() },
  target: isPrefix(place.trim()) ? null : place.trim(),
  prefix: isPrefix(place.trim()) ? place.trim() : null,
});

const FIELDS = [
  { name: 'repository', label: 'Repository', placeholder: 'acme/*' },
  { name: 'environment', label: 'Environment', placeholder: 'production' },
  { name: 'path', label: 'Path begins with', placeholder: 'deploy/shop/' },
  { name: 'place', label: 'Happens at', placeholder: 'shop.example or 10.0.0.0/8' },
] as const;

/** Where changes happen that name no target: rows, with what they make of the changes so far. */
export function TargetsCard({ detail: { webhook, rules } }: { detail: WebhookDetail }) {
  const mayWrite = useMay('settings.write');
  const draft = useDraft(`changes.targets.${webhook.id}`, { table: JSON.stringify(rules.map(toTyped)) });
  const rows = JSON.parse(draft.value.table) as TypedRow[];
  const queryClient = useQueryClient();
  const wanted = rows.filter(({ place }) => place.trim() !== '').map(toRule);
  const asked = useDeferredValue(JSON.stringify(wanted));
  const preview = useQuery({
    queryKey: ['changes.webhooks.preview', webhook.id, asked],
    queryFn: ({ signal }) =>
      ask('changes.webhooks.preview', { id: webhook.id, rules: JSON.parse(asked) as TargetRule[] }, signal),
    enabled: mayWrite,
    placeholderData: keepPreviousData,
  });
  const save = useMutation({
    mutationFn: () => tell('changes.webhooks.setTargets', { id: webhook.id, rules: wanted }),
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: ['changes.webhooks.get', webhook.id] });
    },
  });
  const edit = (next: TypedRow[]): void => draft.change({ table: JSON.stringify(next) });
  const incomplete = rows.some(({ place }) => place.trim() === '');
  const why = mayWrite
    ? draft.isDirty
      ? incomplete
        ? 'Say of each row where it happens'
        : undefined
      : 'Nothing is changed'
    : refusalWords('settings.write');
  return (
    <section className="card" aria-labelledby="targets-h">
      <header>
        <h2 id="targets-h">Where changes without a target happen</h2>
        <span className="s mute">the first row that fits; * stands for any text, an empty field for anything</span>
      </header>
      {mayWrite ? <DraftNote draft={draft} /> : null}
      <Rows rows={rows} byRule={preview.data?.by_rule} readOnly={!mayWrite} onChange={edit} />
      <footer className="s chg-save">
        <Button
          icon="plus"
          look="quiet"
          unavailable={mayWrite ? undefined : refusalWords('settings.write')}
          onClick={() => edit([...rows, emptyRow(rows)])}
        >
          Add a row
        </Button>
        <Button look="primary" busy={save.isPending} unavailable={why} onClick={() => save.mutate()}>
          Save
        </Button>
        {preview.data && preview.data.looked_at > 0 ? (
          <span className="mute" aria-live="polite">
            {preview.data.matched} of the last {preview.data.looked_at} changes without a target of their own get one.
          </span>
        ) : null}
        {(save.error ?? preview.error) ? (
          <span className="err" role="alert">
            {(save.error ?? preview.error)?.message}
          </span>
        ) : null}
      </footer>
    </section>
  );
}

interface RowsProps {
  rows: readonly TypedRow[];
  byRule: readonly number[] | undefined;
  readOnly: boolean;
  onChange: (rows: TypedRow[]) => void;
}

function Rows({ rows, byRule, readOnly, onChange }: RowsProps) {
  if (rows.length === 0)
    return <p className="body s mute">No row: a change happens where it says itself, such as at its environment’s URL.</p>;
  return (
    <ScrollX label="Where changes happen">
      <table className="chg-rules">
        <ColumnHeads
          columns={[...FIELDS.map(({ label }) => label), numeric('Changes', { title: 'Of the last ones' }), ACTIONS]}
        />
        <tbody>
          {rows.map((row, place) => (
            <tr key={row.key}>
              {FIELDS.map(({ name, label, placeholder }) => (
                <td key={name}>
                  <input
                    className="input"
                    aria-label={`${label}, row ${place + 1}`}
                    placeholder={placeholder}
                    value={row[name]}
                    readOnly={readOnly}
                    maxLength={200}
                    onChange={(event) =>
                      onChange(rows.map((one) => (one.key === row.key ? { ...one, [name]: event.currentTarget.value } : one)))
                    }
                  />
                </td>
              ))}
              <td className="n">{byRule?.[place] ?? ''}</td>
              <td className="n">
                {readOnly ? null : (
                  <IconButton
                    icon="trash"
                    label={`Remove row ${place + 1}`}
                    onClick={() => onChange(rows.filter((one) => one.key !== row.key))}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
