import type { TestType } from '@svc/contracts/tests/test-types';
import { useState } from 'react';
import { IconButton } from '../../../ui/controls/controls.tsx';
import { Pop } from '../../../ui/controls/floating.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { type Faults, faultAt } from './faults.ts';
import { ASSERTIONS, type TestField } from './field-list.ts';
import { assertionName, ParamField } from './param-field.tsx';
import { type Params, readAt, writeAt } from './params.ts';

interface AssertionsProps {
  type: TestType;
  params: Params;
  faults: Faults;
  onChange: (params: Params) => void;
}

const isSet = (params: Params, path: string): boolean => {
  const value = readAt(params, path);
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
};

/** A run fails unless each of these holds. */
export function AssertionsField({ type, params, faults, onChange }: AssertionsProps) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const all = ASSERTIONS[type];
  const isShown = ({ path }: TestField): boolean =>
    isSet(params, path) || added.includes(path) || faultAt(faults, `params.${path}`) !== undefined;
  const shown = all.filter(isShown);
  const left = all.filter((field) => !isShown(field));
  const remove = ({ path }: TestField): void => {
    setAdded(added.filter((one) => one !== path));
    onChange(writeAt(params, path, undefined));
  };
  const add = (field: TestField): void => {
    setAdded([...added, field.path]);
    if (field.kind === 'flag') onChange(writeAt(params, field.path, true));
  };
  return (
    <section aria-label="Fails unless">
      <h3 className="drawerlabel">Fails unless</h3>
      <ul className="asserts">
        {shown.map((field) => (
          <li key={field.path}>
            <span className="med">{field.label}</span>
            <span className="mute">{field.verb}</span>
            <span className="assertvalue">
              <ParamField field={field} params={params} faults={faults} onChange={onChange} bare />
            </span>
            <IconButton icon="cross" label={`Remove ${assertionName(field)}`} onClick={() => remove(field)} />
          </li>
        ))}
        {left.length > 0 ? (
          <li className="assertadd">
            <Pop
              target={(open, toggle) => (
                <button type="button" className="linkish plainlink row" aria-expanded={open} onClick={toggle}>
                  <Icon name="plus" size={14} />
                  Add an assertion
                </button>
              )}
            >
              {(close) => (
                <ul className="list">
                  {left.map((field) => (
                    <li key={field.path} className="flush">
                      <button
                        type="button"
                        className="opt"
                        onClick={() => {
                          add(field);
                          close();
                        }}
                      >
                        {assertionName(field)}
                      </button>
                    </li>
                  ))}
                </ul>
              )}
            </Pop>
          </li>
        ) : null}
      </ul>
    </section>
  );
}
