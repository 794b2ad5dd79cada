import { CHANGE_KINDS } from '@svc/contracts/changes/kinds';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { KIND_NAMES } from '../../ui/changes/change-words.ts';
import { Checkbox, SearchField } from '../../ui/controls/controls.tsx';
import { isNetwork } from './changes-query.ts';
import type { ChangesSearch } from './changes-search.ts';

const text = (value: string): string | undefined => (value.trim() === '' ? undefined : value.trim());

/** What the timeline is narrowed by. */
export function ChangeFilters({ search }: { search: ChangesSearch }) {
  const change = useSearchChange<ChangesSearch>();
  const facets = useQuery({ queryKey: ['changes.facets'], queryFn: ({ signal }) => ask('changes.facets', undefined, signal) });
  return (
    <div className="chg-filters">
      <SearchField
        label="Words or number"
        placeholder="Words or #number"
        value={search.text ?? ''}
        onChange={(value) => change({ text: text(value) }, 'typing')}
      />
      <Choice
        label="Kind"
        value={search.kind?.[0]}
        options={CHANGE_KINDS.map((kind) => [kind, KIND_NAMES[kind]])}
        onChange={(value) => change({ kind: CHANGE_KINDS.filter((kind) => kind === value).slice(0, 1) })}
      />
      <Choice
        label="Source"
        value={search.source}
        options={pairs(facets.data?.sources)}
        onChange={(source) => change({ source })}
      />
      <Choice label="By" value={search.actor} options={pairs(facets.data?.actors)} onChange={(actor) => change({ actor })} />
      <SearchField
        label="Target"
        placeholder="Host or service"
        value={search.target ?? ''}
        onChange={(value) => change({ target: text(value) }, 'typing')}
      />
      <SearchField
        label="Network or address"
        placeholder="10.0.0.0/8"
        value={search.prefix ?? ''}
        onChange={(value) => change({ prefix: text(value) }, 'typing')}
      />
      {search.prefix && !isNetwork(search.prefix) ? <span className="s err">This is no network and no address.</span> : null}
      <Checkbox
        label="Without a target"
        checked={search.untargeted === 'only'}
        onChange={(on) => change({ untargeted: on ? 'only' : undefined })}
      />
    </div>
  );
}

const pairs = (words: readonly string[] | undefined): (readonly [string, string])[] =>
  (words ?? []).map((word) => [word, word] as const);

interface ChoiceProps {
  label: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
  onChange: (value: string | undefined) => void;
}

/** One of several; what the address names is offered whether or not it is among them. */
function Choice({ label, value, options, onChange }: ChoiceProps) {
  const known = value === undefined || options.some(([one]) => one === value) ? options : [...options, [value, value] as const];
  return (
    <label className="row s">
      <span className="mute">{label}</span>
      <select className="select" value={value ?? ''} onChange={(event) => onChange(event.currentTarget.value || undefined)}>
        <option value="">any</option>
        {known.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
