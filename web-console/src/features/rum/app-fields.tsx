import { useId } from 'react';
import { Field } from '../../ui/controls/controls.tsx';

export interface AppForm {
  name: string;
  /** Separated by anything that no host name holds. */
  hosts: string;
  /** Empty: what the installation has. */
  rate: string;
}

export const NEW_APP: AppForm = { name: '', hosts: '', rate: '' };

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const MOST_HOSTS = 50;

const hostsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
  ),
];

/** As the server takes it. */
export const readApp = ({ hosts, rate }: Pick<AppForm, 'hosts' | 'rate'>) => ({
  hosts: hostsOf(hosts),
  rate_per_min: rate.trim() === '' ? null : Number(rate),
});

const nameFault = (name: string): string | undefined => {
  if (name === '') return undefined;
  if (name === 'apps') return 'This name is taken.';
  return NAME.test(name) ? undefined : 'Lower-case letters, digits, dot, underscore and hyphen; at most 63.';
};
const rateFault = (rate: string): string | undefined =>
  rate.trim() === '' || (/^\d{1,7}$/.test(rate.trim()) && Number(rate) <= 1_000_000) ? undefined : '0 to 1,000,000';
const hostsFault = (hosts: string): string | undefined => {
  const wrong = hostsOf(hosts).find(
    (host) => !/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host) && !/^[0-9a-f:[\]]+$/.test(host),
  );
  if (wrong) return `${wrong} is not a host name; leave out https:// and paths.`;
  return hostsOf(hosts).length > MOST_HOSTS ? `At most ${MOST_HOSTS} hosts.` : undefined;
};

/** Why it cannot be sent yet. */
export function faultOf({ name, hosts, rate }: AppForm, named: boolean): string | undefined {
  if (named && name.trim() === '') return 'Enter a name';
  const fault = (named && nameFault(name.trim())) || hostsFault(hosts) || rateFault(rate);
  return fault ? 'Check the fields' : undefined;
}

interface FieldsProps {
  value: AppForm;
  change: (part: Partial<AppForm>) => void;
  /** Whether it has a name still to be given. */
  named?: boolean;
}

export function AppFields({ value, change, named = false }: FieldsProps) {
  const id = useId();
  const fault = hostsFault(value.hosts);
  return (
    <>
      {named ? (
        <Field
          label="Name"
          data-autofocus
          maxLength={63}
          value={value.name}
          placeholder="shop"
          hint="Stands in addresses and next to every figure."
          error={nameFault(value.name.trim())}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      ) : null}
      <div className="labelled">
        <label htmlFor={id}>Hosts that may send (optional)</label>
        <textarea
          id={id}
          className="input"
          rows={3}
          maxLength={5000}
          value={value.hosts}
          placeholder={'shop.example\n*.shop.example'}
          aria-invalid={fault ? true : undefined}
          aria-describedby={`${id}-h`}
          onChange={(event) => change({ hosts: event.currentTarget.value })}
        />
        <p id={`${id}-h`} className={fault ? 's err' : 's mute'}>
          {fault ?? 'One per line; *. takes every name below. Beacons of other hosts are refused. Empty: any host.'}
        </p>
      </div>
      <Field
        label="Beacons per minute (optional)"
        inputMode="numeric"
        value={value.rate}
        hint="Empty: the bound of this installation. 0: no bound."
        error={rateFault(value.rate)}
        onChange={(event) => change({ rate: event.currentTarget.value })}
      />
    </>
  );
}
