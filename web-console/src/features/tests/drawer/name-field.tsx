import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { ask } from '../../../api.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { STATE_WORDS } from '../test-words.ts';

const REST_MS = 250;
const MOST = 20;

function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

/** The test that bears a name already, other than the one that is edited. */
export function useNameOwner(name: string, ownId: string | undefined) {
  const wanted = useRested(name.trim());
  const found = useQuery({
    queryKey: ['tests.list', 'named', wanted],
    queryFn: ({ signal }) => ask('tests.list', { search: wanted, limit: MOST }, signal),
    enabled: wanted !== '',
    placeholderData: keepPreviousData,
  }).data;
  return found?.items.find(({ test }) => test.id !== ownId && test.name.toLowerCase() === name.trim().toLowerCase());
}

interface NameFieldProps {
  name: string;
  owner: ReturnType<typeof useNameOwner>;
  fault: string | undefined;
  onChange: (name: string) => void;
}

/** A name that is taken leads to the test that has it. */
export function NameField({ name, owner, fault, onChange }: NameFieldProps) {
  const id = useId();
  const isBad = owner !== undefined || fault !== undefined;
  return (
    <div className="labelled">
      <label htmlFor={id}>Name</label>
      <input
        id={id}
        className="input"
        maxLength={200}
        value={name}
        aria-invalid={isBad ? true : undefined}
        aria-describedby={`${id}-h`}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <p id={`${id}-h`} className={isBad ? 's err' : 's mute'}>
        {owner ? (
          <span className="row taken">
            <Icon name="failed" size={12} />
            <span>
              Taken:{' '}
              <Link to="/tests/$id" params={{ id: owner.test.id }}>
                a test, {STATE_WORDS[owner.state].toLowerCase()}
              </Link>
            </span>
          </span>
        ) : (
          fault
        )}
      </p>
    </div>
  );
}
