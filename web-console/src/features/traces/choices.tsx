import { useRef, useState } from 'react';
import { Checkbox, SearchField } from '../../ui/controls/controls.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';

export interface Choice {
  name: string;
  /** Whose colour stands before it. */
  service?: string;
  /** Told in words too: another choice has the same name. */
  isShared?: boolean;
  isChosen: boolean;
}

interface ChoicesProps<One extends Choice> {
  noun: string;
  options: readonly One[];
  onToggle: (one: One) => void;
}

/** Those whose own name has it first; then those that only their service tells apart. Within each as they stand. */
export function findChoices<One extends Choice>(options: readonly One[], wanted: string): One[] {
  const words = wanted.trim().toLowerCase();
  const [named, others] = [[] as One[], [] as One[]];
  for (const one of options) {
    if (one.name.toLowerCase().includes(words)) named.push(one);
    else if (one.isShared && `${one.name} ${one.service}`.toLowerCase().includes(words)) others.push(one);
  }
  return [...named, ...others];
}

/** Check boxes, with a field to find one of many; Enter in it chooses the first that matches. */
export function Choices<One extends Choice>({ noun, options, onToggle }: ChoicesProps<One>) {
  const [wanted, setWanted] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const shown = findChoices(options, wanted);
  // What stands in the field: Enter may come before the search field has reported it.
  const chooseFirst = (): void => {
    const typed = field.current?.value ?? '';
    const [first] = typed.trim() === '' ? [] : findChoices(options, typed);
    if (first && !first.isChosen) onToggle(first);
  };
  return (
    <>
      {options.length > 8 ? (
        <form
          className="pophead"
          onSubmit={(event) => {
            event.preventDefault();
            chooseFirst();
          }}
        >
          <SearchField ref={field} value={wanted} label={`Find ${noun}`} placeholder="Find" onChange={setWanted} />
        </form>
      ) : null}
      <ul className="list">
        {shown.map((one) => (
          <li key={`${one.service} ${one.name}`}>
            <Checkbox
              checked={one.isChosen}
              label={
                <>
                  {one.service ? <ServiceMark name={one.service} /> : null} {one.name}
                  {one.isShared ? <span className="mute"> {one.service}</span> : null}
                </>
              }
              onChange={() => onToggle(one)}
            />
          </li>
        ))}
        {shown.length === 0 ? <li className="mute">{options.length === 0 ? 'None in this time' : 'Nothing matches'}</li> : null}
      </ul>
    </>
  );
}

/** Choices of a list of values; what is chosen and not among them stands first, so that it can be let go. */
export function choicesOf<One extends { name: string; service?: string }>(
  options: readonly One[],
  chosen: readonly string[] = [],
): Choice[] {
  const missing = chosen.filter((name) => !options.some((option) => option.name === name)).map((name) => ({ name }));
  return [...missing, ...options].map((option) => ({ ...option, isChosen: chosen.includes(option.name) }));
}
