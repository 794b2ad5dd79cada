import { useEffect, useRef } from 'react';
import { SearchField } from '../controls/controls.tsx';

interface TableSearchProps {
  value: string;
  label: string;
  placeholder: string;
  onChange: (text: string) => void;
}

/** The search above a table. "/" anywhere but in a field goes to it. */
export function TableSearch(props: TableSearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return <SearchField ref={input} {...props} />;
}
