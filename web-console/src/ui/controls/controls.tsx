import {
  type ButtonHTMLAttributes,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'primary' | 'default' | 'quiet' | 'plain' | 'danger';
  icon?: IconName;
  busy?: boolean;
  /** Why the button cannot be used now; it then is disabled and says so. */
  unavailable?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
}

/** Every button of the console. A busy one keeps its width and is announced; a disabled one tells why. */
export function Button({ look = 'default', icon, busy, unavailable, children, className, ...rest }: ButtonProps) {
  const classes = ['btn', look === 'default' ? '' : look, className ?? ''].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      {...rest}
      className={classes}
      title={unavailable ?? rest.title}
      aria-disabled={busy || unavailable ? true : undefined}
      aria-busy={busy || undefined}
      onClick={busy || unavailable ? (event) => event.preventDefault() : rest.onClick}
    >
      {icon ? <Icon name={icon} size={14} /> : null}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} className={`btn plain icon ${className ?? ''}`} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

interface CheckboxProps {
  checked: boolean;
  mixed?: boolean;
  label: ReactNode;
  /** Only for screen readers: the row already says it. */
  hideLabel?: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

/** A native check box drawn as the design's. */
export function Checkbox({ checked, mixed = false, label, hideLabel = false, disabled = false, onChange }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <label className={disabled ? 'check off' : 'check'}>
      <input
        ref={input}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span className={checked || mixed ? 'box on' : 'box'} aria-hidden="true">
        {mixed ? <Icon name="dash" size={12} /> : null}
        {checked && !mixed ? <Icon name="check" size={12} /> : null}
      </span>
      <span className={hideLabel ? 'sr' : undefined}>{label}</span>
    </label>
  );
}

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  unit?: string;
  ref?: Ref<HTMLInputElement>;
}

/** A labelled input with its hint and error tied to it. */
export function Field({ label, hint, error, unit, className, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className={`labelled ${className ?? ''}`}>
      <label htmlFor={id}>{label}</label>
      <span className="inputrow">
        <input {...rest} id={id} className="input" aria-invalid={error ? true : undefined} aria-describedby={`${id}-h`} />
        {unit ? <span className="s mute">{unit}</span> : null}
      </span>
      <p id={`${id}-h`} className={error ? 's err' : 's mute'}>
        {error ?? hint}
      </p>
    </div>
  );
}

interface SearchFieldProps {
  value: string;
  placeholder: string;
  label: string;
  onChange: (value: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/**
 * A search input that reports after a short rest, so that typing asks the server once, and at once by Enter or when it is left: who then follows a link is
 * not called back. Escape clears it.
 */
export function SearchField({ value, placeholder, label, onChange, ref }: SearchFieldProps) {
  const [draft, setDraft] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setDraft(value);
    }
  }, [value]);
  const report = useCallback(() => {
    if (draft === sent.current) return;
    sent.current = draft;
    onChange(draft);
  }, [draft, onChange]);
  useEffect(() => {
    const timer = setTimeout(report, 200);
    return () => clearTimeout(timer);
  }, [report]);
  return (
    <span className="field searchfield">
      <Icon name="search" size={14} />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={draft}
        maxLength={200}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={report}
        onKeyDown={(event) => {
          if (event.key === 'Enter') report();
          if (event.key !== 'Escape') return;
          if (draft === '') event.currentTarget.blur();
          setDraft('');
          event.stopPropagation();
        }}
      />
    </span>
  );
}

/** Copies text; says so in its own label for two seconds. Without a clipboard the text stands selected to copy by hand. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [word, setWord] = useState(label);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setWord('Copied');
    } catch {
      setWord('Select and copy by hand');
    }
    setTimeout(() => setWord(label), 2000);
  };
  return (
    <Button icon="copy" onClick={copy}>
      <span aria-live="polite">{word}</span>
    </Button>
  );
}

interface SegmentProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** A few exclusive choices side by side. */
export function Segments<T extends string>({ label, options, value, onChange }: SegmentProps<T>) {
  return (
    <fieldset className="seg">
      <legend className="sr">{label}</legend>
      {options.map((option) => (
        <button key={option.value} type="button" aria-pressed={option.value === value} onClick={() => onChange(option.value)}>
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
