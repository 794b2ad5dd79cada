import type { FleetSummary, Verdict as VerdictValue } from '@svc/contracts/endpoint/view';
import type { FaultKind } from '@svc/contracts/fault-kinds';
import { HEALTHS, type Health } from '@svc/contracts/judged/healths';
import { MISSING_PERMISSIONS, type MissingPermission } from '@svc/contracts/verdict';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Button, Checkbox, SearchField } from '../../../ui/controls/controls.tsx';
import { Pop } from '../../../ui/controls/floating.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { osWords } from '../../../ui/devices/os-words.ts';
import { permissionName } from '../../../ui/devices/permission-words.ts';
import { Verdict } from '../../../ui/devices/verdict.tsx';
import { NO_VERDICT, SLOW_CAUSES } from '../../../ui/devices/verdict-states.ts';
import { FAULT_NAMES, HEALTH_NAMES } from '../../../ui/judged/health-words.ts';
import { filterTitle, filterValue } from './filter-words.ts';
import { activeFilters, type FilterKey, type FleetSearch } from './fleet-search.ts';

type ListKey =
  | 'verdict'
  | 'health'
  | 'fault'
  | 'site'
  | 'os'
  | 'agent_version'
  | 'ring'
  | 'connection'
  | 'face'
  | 'missing_permission';
type NumberKey = 'wifi_rssi_below' | 'gateway_rtt_above' | 'isp_rtt_above' | 'session_above_ms';

const NUMBERS: Readonly<Record<NumberKey, { unit: string; words: string; start: number }>> = {
  wifi_rssi_below: { unit: 'dBm or weaker', words: 'Wi-Fi signal', start: -75 },
  gateway_rtt_above: { unit: 'ms or more', words: 'Gateway round trip', start: 25 },
  isp_rtt_above: { unit: 'ms or more', words: 'ISP edge round trip', start: 80 },
  session_above_ms: { unit: 'ms or more', words: 'Worst session', start: 1500 },
};
/** Minutes that are offered: of the last contact, and of having had none. */
const SPANS = { contact_within_minutes: [10, 60, 1440, 10_080], silent_for_minutes: [60, 1440, 10_080, 43_200] } as const;
const MORE: readonly FilterKey[] = [
  'health',
  'fault',
  'os',
  'agent_version',
  'connection',
  'face',
  'missing_permission',
  'ring',
  'gateway',
  'contact_within_minutes',
  'silent_for_minutes',
  'wifi_rssi_below',
  'gateway_rtt_above',
  'isp_rtt_above',
  'session_above_ms',
];
const ALWAYS: readonly FilterKey[] = ['verdict', 'site'];

interface ChipsProps {
  search: FleetSearch;
  summary: FleetSummary | undefined;
  onFilter: (change: FleetSearch) => void;
}

const isNumberKey = (key: FilterKey): key is NumberKey => key in NUMBERS;

function optionsOf(key: ListKey, summary: FleetSummary | undefined): readonly string[] {
  if (key === 'verdict') return [...SLOW_CAUSES, ...NO_VERDICT, 'none'];
  if (key === 'health') return HEALTHS;
  if (key === 'fault') return summary?.faults.map(({ fault }) => fault) ?? [];
  if (key === 'ring') return ['canary', 'early', 'main'];
  if (key === 'connection') return ['wifi', 'wired', 'cellular', 'unknown'];
  if (key === 'face') return ['window', 'headless'];
  if (key === 'missing_permission') return MISSING_PERMISSIONS;
  if (key === 'site') return summary?.sites ?? [];
  return (key === 'os' ? summary?.os : summary?.agent_versions) ?? [];
}

function OptionLabel({ name, option }: { name: ListKey; option: string }) {
  if (name === 'verdict') return <Verdict verdict={option as VerdictValue} />;
  if (name === 'health') return HEALTH_NAMES[option as Health];
  if (name === 'fault') return FAULT_NAMES[option as FaultKind];
  if (name === 'os') return osWords(option, null);
  if (name === 'missing_permission') return permissionName(option as MissingPermission);
  return option === 'wifi' ? 'Wi-Fi' : option;
}

function ListEditor({ name, search, summary, onFilter }: ChipsProps & { name: ListKey }) {
  const [wanted, setWanted] = useState('');
  const chosen: readonly string[] = search[name] ?? [];
  const all = [...new Set([...optionsOf(name, summary), ...chosen])];
  const options = all.filter((option) => option.toLowerCase().includes(wanted.toLowerCase()));
  const toggle = (option: string, on: boolean): void => {
    const next = on ? [...chosen, option] : chosen.filter((item) => item !== option);
    onFilter({ [name]: next.length > 0 ? next : undefined });
  };
  return (
    <>
      {all.length > 8 && name !== 'verdict' ? (
        <div className="pophead">
          <SearchField value={wanted} label={`Find a ${filterTitle(name)}`} placeholder="Find" onChange={setWanted} />
        </div>
      ) : null}
      <ul className="list">
        {options.map((option) => (
          <li key={option}>
            <Checkbox
              checked={chosen.includes(option)}
              label={<OptionLabel name={name} option={option} />}
              onChange={(on) => toggle(option, on)}
            />
          </li>
        ))}
        {options.length === 0 ? (
          <li className="mute">{all.length === 0 ? 'No device reports one yet' : 'Nothing matches'}</li>
        ) : null}
      </ul>
    </>
  );
}

/** The field of an editor, chosen whole as soon as it is there: typing replaces it, Enter applies it. */
function useChosenField(): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return input;
}

function NumberEditor({ name, search, onFilter, close }: ChipsProps & { name: NumberKey; close: () => void }) {
  const [draft, setDraft] = useState(String(search[name] ?? NUMBERS[name].start));
  const input = useChosenField();
  const value = Number(draft.replace('\u2212', '-'));
  const valid =
    draft.trim() !== '' && Number.isFinite(value) && (name === 'wifi_rssi_below' ? value <= 0 && value >= -120 : value >= 0);
  return (
    <form
      className="pophead"
      onSubmit={(event) => {
        event.preventDefault();
        if (!valid) return;
        onFilter({ [name]: value });
        close();
      }}
    >
      <label className="labelled">
        <span className="s">{NUMBERS[name].words}</span>
        <span className="inputrow">
          <input
            ref={input}
            className="input num"
            inputMode="numeric"
            value={draft}
            aria-invalid={!valid}
            onChange={(event) => setDraft(event.currentTarget.value)}
          />
          <span className="s mute nowrap">{NUMBERS[name].unit}</span>
        </span>
      </label>
      <Button type="submit" unavailable={valid ? undefined : 'Give a number'}>
        Apply
      </Button>
    </form>
  );
}

function TextEditor({ search, onFilter, close }: ChipsProps & { close: () => void }) {
  const [draft, setDraft] = useState(search.gateway ?? '');
  const input = useChosenField();
  return (
    <form
      className="pophead"
      onSubmit={(event) => {
        event.preventDefault();
        onFilter({ gateway: draft.trim() || undefined });
        close();
      }}
    >
      <label className="labelled">
        <span className="s">Gateway address</span>
        <input
          ref={input}
          className="input mono"
          value={draft}
          maxLength={64}
          placeholder="10.20.3.1"
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
      </label>
      <Button type="submit">Apply</Button>
    </form>
  );
}

function Editor({ name, close, ...props }: ChipsProps & { name: FilterKey; close: () => void }) {
  if (isNumberKey(name)) return <NumberEditor {...props} name={name} close={close} />;
  if (name === 'gateway') return <TextEditor {...props} close={close} />;
  if (name === 'contact_within_minutes' || name === 'silent_for_minutes') {
    return (
      <ul className="list">
        {SPANS[name].map((minutes) => (
          <li key={minutes} className="flush">
            <button
              type="button"
              className="opt"
              aria-current={props.search[name] === minutes}
              onClick={() => {
                props.onFilter({ [name]: minutes });
                close();
              }}
            >
              {filterValue({ [name]: minutes }, name)}
            </button>
          </li>
        ))}
      </ul>
    );
  }
  return <ListEditor {...props} name={name as ListKey} />;
}

function Chip({ name, ...props }: ChipsProps & { name: FilterKey }) {
  const set = props.search[name] !== undefined;
  const remove: ReactNode = set ? (
    <button
      type="button"
      className="chip-x"
      aria-label={`Remove filter ${filterTitle(name)}`}
      onClick={() => props.onFilter({ [name]: undefined })}
    >
      <Icon name="cross" size={12} />
    </button>
  ) : null;
  return (
    <span className={set ? 'chip on' : 'chip'}>
      <Pop
        width={240}
        target={(open, toggle) => (
          <button type="button" className="chip-b" aria-expanded={open} onClick={toggle}>
            {filterTitle(name)} {set ? <b>{filterValue(props.search, name)}</b> : <Icon name="down" size={12} />}
          </button>
        )}
      >
        {(close) => <Editor {...props} name={name} close={close} />}
      </Pop>
      {remove}
    </span>
  );
}

/** One chip a filter; dashed while unset, solid with a way to remove it when set. */
export function FilterChips(props: ChipsProps) {
  const [added, setAdded] = useState<FilterKey>();
  const set = activeFilters(props.search).filter((key) => key !== 'search');
  const shown = [...new Set([...ALWAYS, ...set])];
  const left = MORE.filter((key) => !shown.includes(key));
  return (
    <>
      {shown.map((key) => (
        <Chip key={key} name={key} {...props} />
      ))}
      {left.length > 0 ? (
        <Pop
          width={240}
          target={(open, toggle) => (
            <button
              type="button"
              className="chip"
              aria-expanded={open}
              onClick={() => {
                setAdded(undefined);
                toggle();
              }}
            >
              <Icon name="plus" size={12} />
              Filter
            </button>
          )}
        >
          {(close) =>
            added ? (
              <Editor {...props} name={added} close={close} />
            ) : (
              <ul className="list">
                {left.map((key) => (
                  <li key={key} className="flush">
                    <button type="button" className="opt" onClick={() => setAdded(key)}>
                      {isNumberKey(key) ? NUMBERS[key].words : filterTitle(key)}
                    </button>
                  </li>
                ))}
              </ul>
            )
          }
        </Pop>
      ) : null}
    </>
  );
}
