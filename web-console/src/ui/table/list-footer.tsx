import './list-table.css';
import { type ReactNode, useEffect } from 'react';
import { Button, IconButton } from '../controls/controls.tsx';
import { Icon } from '../controls/icons.tsx';
import { formatCount } from '../words/format.ts';
import { PAGE_SIZES } from './page-sizes.ts';

interface FooterProps {
  /** What a row is, in the singular: "device". */
  noun: string;
  /** Rows shown. */
  rows: number;
  /** Rows that pass the filters; undefined until that is known. */
  matched: number | undefined;
  place: { limit: number; offset: number; page: number };
  csv: { href: string; file: string };
  onPage: (next: { page?: number | undefined; size?: number }) => void;
  /** What can be done with the selected rows. */
  children: ReactNode;
}

/** Under a table that the server pages: which rows these are, how many to a page, what was selected, the CSV of all of them. */
export function ListFooter({ noun, rows, matched, place, csv, onPage, children }: FooterProps) {
  const { limit, offset, page } = place;
  const pages = Math.max(1, Math.ceil((matched ?? 0) / limit));
  return (
    <footer className="foot">
      <span className="soft nowrap">
        {rows > 0 ? (
          <>
            <b className="num">
              {rows === 1 ? formatCount(offset + 1) : `${formatCount(offset + 1)}–${formatCount(offset + rows)}`}
            </b>{' '}
            of <b className="num">{formatCount(matched ?? 0)}</b> {matched === 1 ? noun : `${noun}s`}
          </>
        ) : (
          <span>{matched === undefined ? 'Reading' : `No ${noun}s`}</span>
        )}
      </span>
      <select
        className="pagesize mute"
        aria-label="Rows per page"
        value={limit}
        onChange={(event) => onPage({ page: undefined, size: Number(event.currentTarget.value) })}
      >
        {PAGE_SIZES.map((size) => (
          <option key={size} value={size}>
            {size} per page
          </option>
        ))}
      </select>
      {children}
      <span className="grow" />
      {matched ? (
        <a className="btn quiet" href={csv.href} download={csv.file}>
          <Icon name="download" size={14} />
          CSV of {matched === 1 ? '1 row' : `all ${formatCount(matched)} rows`}
        </a>
      ) : null}
      <span className="row pages">
        <IconButton
          icon="left"
          label="Previous page"
          disabled={page <= 1}
          onClick={() => onPage({ page: page - 1 > 1 ? page - 1 : undefined })}
        />
        <span className="num soft nowrap">
          Page {formatCount(page)} of {formatCount(pages)}
        </span>
        <IconButton icon="right" label="Next page" disabled={page >= pages} onClick={() => onPage({ page: page + 1 })} />
      </span>
    </footer>
  );
}

interface PickedProps {
  count: number;
  onClear: () => void;
  /** The buttons, and what came of them. */
  children: ReactNode;
}

/** The selected rows: how many, what to do with them, Escape to let them go. */
export function Picked({ count, onClear, children }: PickedProps) {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClear();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [onClear]);
  return (
    <span className="picked" role="status">
      <b>{formatCount(count)} selected</b>
      {children}
      <Button look="plain" onClick={onClear}>
        Clear <kbd>Esc</kbd>
      </Button>
    </span>
  );
}
