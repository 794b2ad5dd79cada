import { type ReactNode, useId } from 'react';
import { Button } from '../controls/controls.tsx';
import { ScrollX } from '../controls/scroll-x.tsx';
import { EmptyState, Ghost } from '../placeholders/empty-state.tsx';
import { type Column, ColumnHeads } from '../table/column-heads.tsx';

interface TokenCardProps<Token> {
  title: string;
  /** What the table is called where the title alone would not say it. */
  label?: string;
  /** Beside the title: how many there are, or what they are for. */
  note: string;
  columns: readonly Column[];
  /** Undefined until the server has answered. */
  items: readonly Token[] | undefined;
  row: (token: Token) => ReactNode;
  /** What a token is needed for, while there is none. */
  whenEmpty: string;
  /** Why the reader may create none. */
  unavailable?: string | undefined;
  onCreate: () => void;
  /** What stands below the table, and the dialogs that are open. */
  children: ReactNode;
}

/** The tokens of one kind, and the button that creates another one. */
export function TokenCard<Token>(props: TokenCardProps<Token>) {
  const { title, label = title, note, columns, items, row, whenEmpty, unavailable, onCreate, children } = props;
  const heading = useId();
  return (
    <section className="card" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        <span className="s mute">{note}</span>
        <span className="grow" />
        <Button look="primary" icon="plus" unavailable={unavailable} onClick={onCreate}>
          Create token
        </Button>
      </header>
      {items?.length === 0 ? (
        <EmptyState icon="key" title="No token yet">
          <p>{whenEmpty}</p>
        </EmptyState>
      ) : (
        <ScrollX label={label}>
          <table>
            <ColumnHeads columns={columns} />
            <tbody>
              {items?.map(row) ?? (
                <tr>
                  <td colSpan={columns.length}>
                    <Ghost width={420} />
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        </ScrollX>
      )}
      {children}
    </section>
  );
}
