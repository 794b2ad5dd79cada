import { useState } from 'react';
import type { LogFacets } from '../../api-types.ts';
import type { HistoryRule } from '../../ui/address/use-search-change.ts';
import { Button, SearchField } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';
import { ViewsMenu } from '../../ui/views/views-menu.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { attributeTest, decodeLogsSearch, LEVELS, type Level, type LogsSearch, withOne, without } from './logs-search.ts';

export type Change = (change: LogsSearch, rule?: HistoryRule) => void;

interface FiltersProps {
  search: LogsSearch;
  onChange: Change;
}

const BUILT_IN = [{ name: 'All lines', search: '' }];
const LEVEL_NAMES = Object.keys(LEVELS) as Level[];

/** Words, level and time; what a click adds stands as chips under them. */
export function LogFilters({ search, onChange }: FiltersProps) {
  const live = search.live === 'on';
  return (
    <div className="logfilters">
      <SearchField
        label="Words in the line"
        placeholder="Words or parts, or “exact text”"
        value={search.text ?? ''}
        onChange={(text) => onChange({ text: text.trim() === '' ? undefined : text }, 'typing')}
      />
      <label className="row s">
        <span className="mute">Level</span>
        <select
          className="select"
          value={search.level ?? ''}
          onChange={(event) => onChange({ level: LEVEL_NAMES.find((name) => name === event.currentTarget.value) })}
        >
          <option value="">any</option>
          {LEVEL_NAMES.map((name) => (
            <option key={name} value={name}>
              {name === 'fatal' ? 'fatal' : `${name} and above`}
            </option>
          ))}
        </select>
      </label>
      <Button
        icon={live ? 'paused' : 'play'}
        aria-pressed={live}
        onClick={() => onChange({ live: live ? undefined : 'on', around: undefined })}
      >
        {live ? 'Stop following' : 'Follow live'}
      </Button>
      <ViewsMenu page="logs" search={{ ...search, around: undefined }} decode={decodeLogsSearch} builtIn={BUILT_IN} />
    </div>
  );
}

/** Everything asked for beside words, level and range, each to be taken away. */
export function LogChips({ search, onChange }: FiltersProps) {
  const { service = [], attribute = [], trace } = search;
  if (service.length + attribute.length === 0 && !trace) return null;
  return (
    <div className="chips">
      {service.map((name) => (
        <Chip key={`s${name}`} words="Service" value={name} onRemove={() => onChange({ service: without(service, name) })} />
      ))}
      {attribute.map((test) => (
        <Chip
          key={`a${test}`}
          words=""
          value={describeTest(test)}
          onRemove={() => onChange({ attribute: without(attribute, test) })}
        />
      ))}
      {trace ? <Chip words="Trace" value={`${trace.slice(0, 8)}…`} onRemove={() => onChange({ trace: undefined })} /> : null}
    </div>
  );
}

/** `key!=value` as "key ≠ value". */
export function describeTest(test: string): string {
  const [, not, key, sign, value] = /^(!?)([^=!]+)(?:(!?=)(.*))?$/s.exec(test) ?? [];
  if (sign === undefined) return `${key} ${not ? 'is missing' : 'is there'}`;
  return `${key} ${sign === '!=' ? '≠' : '='} ${value === '' ? 'empty' : value}`;
}

function Chip({ words, value, onRemove }: { words: string; value: string; onRemove: () => void }) {
  return (
    <span className="chip on">
      {words ? `${words} ` : null}
      <b>{value}</b>
      <button type="button" className="chipx" aria-label={`Remove ${words} ${value}`} onClick={onRemove}>
        <Icon name="cross" size={12} />
      </button>
    </span>
  );
}

interface FacetsProps extends FiltersProps {
  facets: LogFacets;
}

/** What the lines have in common; a click keeps, Alt and click leaves out. */
export function LogFacetList({ facets, search, onChange }: FacetsProps) {
  const { service = [], attribute } = search;
  return (
    <>
      <h3 className="s med">Services</h3>
      <ul className="facet s">
        {facets.services.map(({ value, count }) => {
          const on = service.includes(value);
          return (
            <li key={value}>
              <button
                type="button"
                className="opt"
                aria-pressed={on}
                onClick={() => onChange({ service: on ? without(service, value) : withOne(service, value) })}
              >
                <ServiceMark name={value} />
                <span className="grow">{value || 'no name'}</span>
                <span className="num mute">{formatCount(count)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {facets.attributes.length > 0 ? (
        <>
          <h3 className="s med">Attributes</h3>
          <p className="xs mute">Of the newest {formatCount(facets.sampled)} lines. Alt and click leaves out.</p>
        </>
      ) : null}
      {facets.attributes.map(({ key, values }) => (
        <Facet
          key={key}
          name={key}
          values={values}
          onPick={(value, exclude) => {
            const test = attributeTest(key, value, exclude);
            if (test) onChange({ attribute: withOne(attribute, test) });
          }}
        />
      ))}
    </>
  );
}

interface FacetProps {
  name: string;
  values: LogFacets['services'];
  onPick: (value: string, exclude: boolean) => void;
}

function Facet({ name, values, onPick }: FacetProps) {
  const [open, setOpen] = useState(false);
  return (
    <div className="facet s">
      <button type="button" className="opt" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} size={12} />
        <span className="grow">{name}</span>
      </button>
      {open ? (
        <ul>
          {values.map(({ value, count }) => (
            <li key={value}>
              <button type="button" className="opt value" title={value} onClick={(event) => onPick(value, event.altKey)}>
                <span className="grow">{value || 'empty'}</span>
                <span className="num mute">{formatCount(count)}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
