import { Pop } from './floating.tsx';
import { formatMoment } from './format.ts';
import { Icon } from './icons.tsx';

interface RangeMenuProps<Name extends string> {
  /** Each range in words, in the order of the menu. */
  words: Readonly<Record<Name, string>>;
  /** The range that leaves no trace in the URL. */
  usual: NoInfer<Name>;
  range: NoInfer<Name> | undefined;
  /** A brushed window, RFC 3339; it is named in the range's place. */
  from?: string | undefined;
  to?: string | undefined;
  onChange: (part: { range: Name | undefined; from: undefined; to: undefined }) => void;
}

/** The time that a page covers; a range that is chosen takes the place of a brushed window. */
export function RangeMenu<Name extends string>({ words, usual, range = usual, from, to, onChange }: RangeMenuProps<Name>) {
  const brushed = from !== undefined && to !== undefined;
  const now = Date.now();
  return (
    <Pop
      width="max-content"
      position="bottom-end"
      target={(open, toggle) => (
        <button type="button" className="btn" aria-expanded={open} onClick={toggle}>
          <Icon name="clock" size={14} />
          {brushed ? `${formatMoment(from, now)} to ${formatMoment(to, now)}` : words[range]}
          <Icon name="down" size={12} />
        </button>
      )}
    >
      {(close) => (
        <ul className="list" aria-label="Time shown">
          {(Object.keys(words) as Name[]).map((name) => (
            <li key={name} className="flush">
              <button
                type="button"
                className="opt"
                aria-current={!brushed && name === range}
                onClick={() => {
                  onChange({ range: name === usual ? undefined : name, from: undefined, to: undefined });
                  close();
                }}
              >
                {words[name]}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Pop>
  );
}
