import { PLANES, type Plane } from '@svc/contracts/incidents/kinds';
import type { Connector } from '@svc/contracts/notify/connector';
import { type ReactNode, useId } from 'react';
import { Checkbox, Field, Segments } from '../../ui/controls/controls.tsx';
import { ClockField } from '../../ui/moments/clock-field.tsx';
import { DELAY_UNITS, type DelayUnit, type RuleFaults, type RuleForm } from './rule-form.ts';
import { DAY_NAMES, DAYS_SHOWN, PLANE_NAMES, SEVERITY_CHOICES, severityWords } from './rule-words.ts';

interface FieldsProps {
  form: RuleForm;
  faults: RuleFaults;
  connectors: readonly Connector[];
  onChange: (part: Partial<RuleForm>) => void;
}

type PartProps = Omit<FieldsProps, 'connectors'>;

/** Which incidents, when, how late, and to whom. */
export function RuleFields({ form, faults, connectors, onChange }: FieldsProps) {
  const part = { form, faults, onChange };
  return (
    <>
      <Which {...part} />
      <Delay {...part} />
      <Schedule {...part} />
      <Quiet {...part} />
      <ToWhom {...part} connectors={connectors} />
      <datalist id="nfr-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

const toggle = <T,>(list: readonly T[], one: T, on: boolean): T[] =>
  on ? [...list, one] : list.filter((other) => other !== one);

function Group({ title, fault, children }: { title: string; fault?: string | undefined; children: ReactNode }) {
  const id = useId();
  return (
    <fieldset className="nfr-group" aria-describedby={fault ? id : undefined}>
      <legend className="s med">{title}</legend>
      {children}
      {fault ? (
        <p id={id} className="s err">
          {fault}
        </p>
      ) : null}
    </fieldset>
  );
}

function Which({ form, faults, onChange }: PartProps) {
  return (
    <>
      <SeverityField form={form} onChange={onChange} />
      <Group title="Found by">
        <div className="nfr-checks">
          {PLANES.map((plane: Plane) => (
            <Checkbox
              key={plane}
              checked={form.planes.includes(plane)}
              label={PLANE_NAMES[plane]}
              onChange={(on) => onChange({ planes: toggle(form.planes, plane, on) })}
            />
          ))}
        </div>
        <p className="s mute">None chosen: any of them.</p>
      </Group>
      <div className="formgrid">
        <Field
          label="Targets (optional)"
          value={form.targets}
          placeholder="shop.*, *.example.com"
          hint="Separated by commas; * stands for any text. Empty: any."
          error={faults.targets}
          onChange={(event) => onChange({ targets: event.currentTarget.value })}
        />
        <Field
          label="Sites (optional)"
          value={form.sites}
          placeholder="Berlin, Lisbon*"
          hint="Separated by commas; * stands for any text. Empty: any."
          error={faults.sites}
          onChange={(event) => onChange({ sites: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

function SeverityField({ form: { severity, severityMost: most }, onChange }: Omit<PartProps, 'faults'>) {
  const id = useId();
  return (
    <div className="labelled">
      <label htmlFor={id}>Severity</label>
      <select
        id={id}
        className="select"
        value={severityWords({ severity, most })}
        onChange={(event) => {
          const chosen = SEVERITY_CHOICES.find(({ label }) => label === event.currentTarget.value);
          if (chosen) onChange({ severity: chosen.severity, severityMost: chosen.most });
        }}
      >
        {SEVERITY_CHOICES.map(({ label }) => (
          <option key={label}>{label}</option>
        ))}
      </select>
    </div>
  );
}

function Delay({ form, faults, onChange }: PartProps) {
  return (
    <div className="nfr-delay">
      <Field
        label="Delay"
        inputMode="decimal"
        value={form.delay}
        hint="An incident that recovers within it, or that somebody acknowledges, reaches nobody. 0: at once."
        error={faults.delay}
        onChange={(event) => onChange({ delay: event.currentTarget.value })}
      />
      <select
        className="select"
        aria-label="Unit of the delay"
        value={form.unit}
        onChange={(event) => onChange({ unit: event.currentTarget.value as DelayUnit })}
      >
        {DELAY_UNITS.map((unit) => (
          <option key={unit}>{unit}</option>
        ))}
      </select>
    </div>
  );
}

function Schedule({ form, faults, onChange }: PartProps) {
  return (
    <Group title="Schedule" fault={faults.days}>
      <Checkbox
        checked={form.isScheduled}
        label="Only at some hours of the week"
        onChange={(isScheduled) => onChange({ isScheduled })}
      />
      {form.isScheduled ? (
        <>
          <div className="nfr-checks">
            {DAYS_SHOWN.map((day) => (
              <Checkbox
                key={day}
                checked={form.days.includes(day)}
                label={DAY_NAMES[day]}
                onChange={(on) => onChange({ days: toggle(form.days, day, on) })}
              />
            ))}
          </div>
          <div className="nfr-span">
            <TimeField label="From" value={form.from} fault={faults.from} onChange={(from) => onChange({ from })} />
            <TimeField label="To" value={form.to} fault={faults.to} onChange={(to) => onChange({ to })} />
            <ZoneField value={form.zone} fault={faults.zone} onChange={(zone) => onChange({ zone })} />
          </div>
          <p className="s mute">
            When an incident opens counts. Hours after midnight belong to the day on which they begin; from a time to the same is
            all day.
          </p>
        </>
      ) : null}
    </Group>
  );
}

function Quiet({ form, faults, onChange }: PartProps) {
  return (
    <Group title="Quiet hours">
      <Checkbox
        checked={form.isQuiet}
        label="What is not critical waits until they end"
        onChange={(isQuiet) => onChange({ isQuiet })}
      />
      {form.isQuiet ? (
        <>
          <div className="nfr-span">
            <TimeField
              label="From"
              value={form.quietFrom}
              fault={faults.quietFrom}
              onChange={(quietFrom) => onChange({ quietFrom })}
            />
            <TimeField label="To" value={form.quietTo} fault={faults.quietTo} onChange={(quietTo) => onChange({ quietTo })} />
            <ZoneField value={form.quietZone} fault={faults.quietZone} onChange={(quietZone) => onChange({ quietZone })} />
          </div>
          <p className="s mute">What is over or acknowledged by then reaches nobody.</p>
        </>
      ) : null}
    </Group>
  );
}

interface OneProps {
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}

const TimeField = ({ fault, ...rest }: OneProps & { label: string }) => <ClockField {...rest} error={fault} />;

const ZoneField = ({ value, fault, onChange }: OneProps) => (
  <Field
    label="Time zone"
    list="nfr-zones"
    maxLength={64}
    value={value}
    error={fault}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

const TO = [
  { value: 'all', label: 'Every connector' },
  { value: 'some', label: 'Only these' },
] as const;

function ToWhom({ form, faults, connectors, onChange }: FieldsProps) {
  const deleted = form.connectors.filter((id) => !connectors.some((one) => one.id === id));
  const choices = [
    ...connectors.map(({ id, name }) => ({ id, name })),
    ...deleted.map((id) => ({ id, name: 'a deleted connector' })),
  ];
  return (
    <Group title="To" fault={form.isForAll ? undefined : faults.connectors}>
      <Segments
        label="To"
        options={TO}
        value={form.isForAll ? 'all' : 'some'}
        onChange={(value) => onChange({ isForAll: value === 'all' })}
      />
      {form.isForAll ? (
        <p className="s mute">Also those that are added later.</p>
      ) : (
        <div className="nfr-checks">
          {choices.map(({ id, name }) => (
            <Checkbox
              key={id}
              checked={form.connectors.includes(id)}
              label={name}
              onChange={(on) => onChange({ connectors: toggle(form.connectors, id, on) })}
            />
          ))}
          {choices.length === 0 ? <p className="s mute">There is no connector yet.</p> : null}
        </div>
      )}
    </Group>
  );
}
