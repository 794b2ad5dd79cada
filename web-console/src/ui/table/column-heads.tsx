interface TitledColumn {
  name: string;
  className?: string;
  /** Shown on hover. */
  title?: string | undefined;
  /** Only read out: what stands below needs no title for who sees it. */
  isUnseen?: true;
}

export type Column = string | TitledColumn;

/** A column of numbers, which stand at its right. */
export const numeric = (name: string, column: Omit<TitledColumn, 'name'> = {}): TitledColumn => ({
  ...column,
  name,
  className: column.className ? `n ${column.className}` : 'n',
});

/** Of the buttons of each row. */
export const ACTIONS: Column = { name: 'Actions', isUnseen: true };

/** The head of a table that is not sorted by its columns. */
export function ColumnHeads({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { name, className, title, isUnseen }: TitledColumn = typeof column === 'string' ? { name: column } : column;
          return (
            <th key={name} scope="col" className={className} title={title}>
              {isUnseen ? <span className="sr">{name}</span> : name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
