/** A switch that the person may use. */
export function Switch({
  on,
  name,
  busy,
  onChange,
}: {
  on: boolean;
  name: string;
  busy?: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <button
      type="button"
      role="switch"
      className={on ? 'sw on' : 'sw'}
      aria-checked={on}
      aria-label={name}
      aria-disabled={busy ?? false}
      onClick={() => {
        if (!busy) onChange(!on);
      }}
    >
      <i />
    </button>
  );
}

/** The same picture where somebody else decided: nothing to press, the words beside it say who. */
export const LockedSwitch = ({ on }: { on: boolean }) => (
  <span className={on ? 'sw locked on' : 'sw locked'} aria-hidden="true">
    <i />
  </span>
);
