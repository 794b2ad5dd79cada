import { Popover } from '@mantine/core';
import { type ReactElement, type ReactNode, useState } from 'react';

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
