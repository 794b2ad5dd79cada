import { Popover } from '@mantine/core';
import { type ReactElement, type ReactNode, useEffect, useState } from 'react';

interface PopProps {
  /** The control that opens it; gets aria-expanded and the click. */
  target: (open: boolean, toggle: () => void) => ReactElement;
  children: (close: () => void) => ReactNode;
  width?: number | 'max-content';
  position?: 'bottom-start' | 'bottom-end' | 'top-start';
}

/** A small panel under its control; Escape and a click outside close it, focus goes back. */
export function Pop({ target, children, width = 248, position = 'bottom-start' }: PopProps) {
  const [open, setOpen] = useState(false);
  useEscapeOutside(open, () => setOpen(false));
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position={position}
      width={width}
      offset={4}
      shadow="none"
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
      classNames={{ dropdown: 'pop' }}
    >
      <Popover.Target>{target(open, () => setOpen((was) => !was))}</Popover.Target>
      <Popover.Dropdown>{open ? children(() => setOpen(false)) : null}</Popover.Dropdown>
    </Popover>
  );
}

/**
 * The panel itself hears keys of what has the focus in it. Before the focus has moved there its control still has it, or nothing: Escape
 * closes the panel all the same.
 */
function useEscapeOutside(open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent): void => {
      const focused = document.activeElement;
      const isControl = focused?.getAttribute('aria-expanded') === 'true';
      if (event.key === 'Escape' && (focused === null || focused === document.body || isControl)) close();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}
