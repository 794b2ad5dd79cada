import { type ReactNode, useState } from 'react';
import type { TraceFacets } from '../../api-types.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { Pop } from '../../ui/controls/floating.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { AttributeEditor } from './attribute-editor.tsx';
import { readAttribute } from './attribute-text.ts';
import { Choices, choicesOf } from './choices.tsx';
import { isChosen, sharedNames, toggleOperation } from './operation-choice.ts';
import { countFilters, KINDS, NO_FILTER, type SpanFilter, STATUSES, type TracesSearch, toggled } from './traces-search.ts';

interface ChipsProps {
  search: TracesSearch;
  facets: TraceFacets | undefined;
  question: SpanFilter & { from: string; to: string };
  onChange: (part: TracesSearch) => void;
}

interface ChipProps {
  title: string;
  /** Absent while unset. */
  value?: string | undefined;
  onRemove: () => void;
  children: (close: () => void) => ReactNode;
  width?: number;
}

/** Dashed while unset, solid with a way to remove it when set. */
function Chip({ title, value, onRemove, children, width = 260 }: ChipProps) {
  return (
    <span className={value === undefined ? 'chip' : 'chip on'}>
      <Pop
        width={width}
        target={(open, toggle) => (
          <button type="button" className="chip-b" aria-expanded={open} onClick={toggle}>
            {title} {value === undefined ? <Icon name="down" size={12} /> : <b>{value}</b>}
          </button>
        )}
      >
        {children}
      </Pop>
      {value === undefined ? null : (
        <button type="button" className="chip-x" aria-label={`Remove filter ${title}`} onClick={onRemove}>
          <Icon name="cross" size={12} />
        </button>
      )}
    </span>
  );
}

/** The operations of the filter; what is chosen and not in this time stands first, so that it can be let go. */
export function operationChoices(facets: TraceFacets | undefined, search: TracesSearch) {
  const operations = facets?.operations ?? [];
  const shared = sharedNames(operations);
  const missing = choicesOf(
    [],
    search.operation?.filter((name) => !operations.some((one) => one.name === name)),
  );
  const known = operations.map(({ name, service }) => ({
    ...{ name, service, isShared: shared.has(name), isChosen: isChosen(search, { name, service }) },
  }));
  return [...missing, ...known];
}

const listWords = (list: readonly string[] | undefined): string | undefined =>
  list && (list.length > 2 ? `${list[0]} and ${list.length - 1} more` : list.join(' or '));

function durationWords({ min_ms: min, max_ms: max }: TracesSearch): string | undefined {
  if (min === undefined) return max === undefined ? undefined : `up to ${max}\u202fms`;
  return max === undefined ? `${min}\u202fms or more` : `${min} to ${max}\u202fms`;
}

function DurationEditor({ search, onChange, close }: Pick<ChipsProps, 'search' | 'onChange'> & { close: () => void }) {
  const [min, setMin] = useState(search.min_ms === undefined ? '' : String(search.min_ms));
  const [max, setMax] = useState(search.max_ms === undefined ? '' : String(search.max_ms));
  const read = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));
  const valid = [min, max].every((text) => text.trim() === '' || (Number(text) >= 0 && Number(text) <= 86_400_000));
  return (
    <form
      className="pophead tr-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!valid) return;
        onChange({ min_ms: read(min), max_ms: read(max) });
        close();
      }}
    >
      <label className="labelled">
        <span className="s">At least, ms</span>
        <input className="input num" inputMode="decimal" value={min} onChange={(event) => setMin(event.currentTarget.value)} />
      </label>
      <label className="labelled">
        <span className="s">At most, ms</span>
        <input className="input num" inputMode="decimal" value={max} onChange={(event) => setMax(event.currentTarget.value)} />
      </label>
      <Button type="submit" unavailable={valid ? undefined : 'Give numbers of milliseconds'}>
        Apply
      </Button>
    </form>
  );
}

const attributeWords = (text: string): { title: string; value: string } => {
  const { key, operator, value } = readAttribute(text) ?? { key: text, operator: '', value: '' };
  return { title: key, value: `${operator} ${operator === '=' && value === '' ? 'empty' : value}`.trim() };
};

/** One chip a filter; the attributes stand each in their own. */
export function FilterChips(props: ChipsProps) {
  const { search, facets, onChange } = props;
  return (
    <>
      <Chip title="Service" value={listWords(search.service)} onRemove={() => onChange({ service: undefined })}>
        {() => (
          <Choices
            noun="a service"
            options={choicesOf(
              (facets?.services ?? []).map(({ name }) => ({ name, service: name })),
              search.service,
            )}
            onToggle={({ name }) => onChange({ service: toggled(search.service, name) })}
          />
        )}
      </Chip>
      <Chip title="Operation" width={340} value={listWords(search.operation)} onRemove={() => onChange({ operation: undefined })}>
        {() => (
          <Choices
            noun="an operation"
            options={operationChoices(facets, search)}
            onToggle={({ name, service }) =>
              onChange(
                service === undefined
                  ? { operation: toggled(search.operation, name) }
                  : toggleOperation(search, { name, service }, facets?.operations ?? []),
              )
            }
          />
        )}
      </Chip>
      <Chip title="Status" value={listWords(search.status)} onRemove={() => onChange({ status: undefined })}>
        {() => (
          <Choices
            noun="a status"
            options={choicesOf(
              STATUSES.map((name) => ({ name })),
              search.status,
            )}
            onToggle={({ name }) => onChange({ status: toggled(search.status, name as (typeof STATUSES)[number]) })}
          />
        )}
      </Chip>
      <Chip
        title="Duration"
        value={durationWords(search)}
        width={220}
        onRemove={() => onChange({ min_ms: undefined, max_ms: undefined })}
      >
        {(close) => <DurationEditor search={search} onChange={onChange} close={close} />}
      </Chip>
      <Chip title="Kind" value={listWords(search.kind)} onRemove={() => onChange({ kind: undefined })}>
        {() => (
          <Choices
            noun="a kind"
            options={choicesOf(
              KINDS.map((name) => ({ name })),
              search.kind,
            )}
            onToggle={({ name }) => onChange({ kind: toggled(search.kind, name as (typeof KINDS)[number]) })}
          />
        )}
      </Chip>
      <AttributeChips {...props} />
      {countFilters(search) > 1 ? (
        <button type="button" className="linkish s" onClick={() => onChange(NO_FILTER)}>
          Clear all
        </button>
      ) : null}
    </>
  );
}

const MAX_ATTRIBUTES = 10;

function AttributeChips({ search, facets, question, onChange }: ChipsProps) {
  const attributes = search.attribute ?? [];
  const set = (next: readonly string[], close: () => void): void => {
    onChange({ attribute: [...new Set(next)] });
    close();
  };
  const editor = { facets, question };
  return (
    <>
      {attributes.map((text) => (
        <Chip
          key={text}
          {...attributeWords(text)}
          width={320}
          onRemove={() => onChange({ attribute: toggled(attributes, text) })}
        >
          {(close) => (
            <AttributeEditor
              {...editor}
              start={text}
              onSet={(next) =>
                set(
                  attributes.map((item) => (item === text ? next : item)),
                  close,
                )
              }
            />
          )}
        </Chip>
      ))}
      {attributes.length < MAX_ATTRIBUTES ? (
        <Pop
          width={320}
          target={(open, toggle) => (
            <button type="button" className="chip" aria-expanded={open} onClick={toggle}>
              <Icon name="plus" size={12} />
              Attribute
            </button>
          )}
        >
          {(close) => <AttributeEditor {...editor} start="" onSet={(next) => set([...attributes, next], close)} />}
        </Pop>
      ) : null}
    </>
  );
}
