import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Icon } from './icon.tsx';

export interface MenuItem {
  label: string;
  onSelect: () => void;
}

const MOVES: Readonly<Record<string, (at: number, of: number) => number>> = {
  ArrowDown: (at, of) => (at + 1) % of,
  ArrowUp: (at, of) => (at - 1 + of) % of,
  Home: () => 0,
  End: (_, of) => of - 1,
};

/** A button with a menu above it: arrows move, Escape closes and gives the focus back, a press elsewhere closes. */
export function MenuButton({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    list.current?.querySelector('button')?.focus();
    const close = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [open]);
  const shut = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    const entries = [...(list.current?.querySelectorAll('button') ?? [])];
    const move = MOVES[event.key];
    if (move) {
      event.preventDefault();
      entries[move(entries.indexOf(document.activeElement as HTMLButtonElement), entries.length)]?.focus();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      shut();
    } else if (event.key === 'Tab') setOpen(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what its menu's own buttons let through
    <div className="menu" ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        className="btn"
        ref={button}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {label}
        <Icon name="down" size={12} />
      </button>
      {open ? (
        <div className="pop" role="menu" id={id} ref={list} aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                shut();
                item.onSelect();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
