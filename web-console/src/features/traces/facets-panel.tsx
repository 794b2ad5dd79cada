import type { TraceFacets } from '../../api-types.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';
import { formatCount, formatPercent, plural } from '../../ui/words/format.ts';
import { formatNs } from './detail/trace-words.ts';
import { isChosen, sharedNames, toggleOperation } from './operation-choice.ts';
import { type TracesSearch, toggled } from './traces-search.ts';

const MAX_SHOWN = 12;

interface FacetsPanelProps {
  facets: TraceFacets | undefined;
  search: TracesSearch;
  onChange: (part: TracesSearch) => void;
}

interface FacetRow {
  key: string;
  name: string;
  service: string;
  spans: number;
  errors: number;
  p95_ms: number;
  /** Another row has the same name: the service stands beside it. */
  isShared: boolean;
  isChosen: boolean;
}

interface FacetListProps {
  title: string;
  rows: readonly FacetRow[];
  onToggle: (row: FacetRow) => void;
}

/** Methods of one package differ in what follows the slash: where there is no room, the package is cut and not that. */
function CutName({ name }: { name: string }) {
  const slash = /^\S+$/.test(name) ? name.lastIndexOf('/') : -1;
  if (slash <= 0) return <span className="tr-cut">{name}</span>;
  return (
    <span className="tr-ends">
      <span className="tr-cut">{name.slice(0, slash)}</span>
      <span className="tr-cut">{name.slice(slash)}</span>
    </span>
  );
}

function FacetList({ title, rows, onToggle }: FacetListProps) {
  return (
    <>
      <h3>
        {title} <span className="mute">spans · p95</span>
      </h3>
      <ul>
        {rows.slice(0, MAX_SHOWN).map((row) => (
          <li key={row.key}>
            <button
              type="button"
              aria-pressed={row.isChosen}
              title={`${row.service === row.name ? '' : `${row.service} `}${row.name}: ${plural(row.spans, 'span')}, ${formatPercent(row.errors / row.spans)} failed`}
              onClick={() => onToggle(row)}
            >
              <ServiceMark name={row.service} />
              <span className="tr-what">
                <CutName name={row.name} />
                {row.isShared ? <span className="mute xs">{row.service}</span> : null}
              </span>
              {row.errors > 0 ? <em>{formatPercent(row.errors / row.spans)}</em> : null}
              <span className="num mute">{formatCount(row.spans)}</span>
              <span className="num tr-p95">{formatNs(row.p95_ms * 1e6)}</span>
            </button>
          </li>
        ))}
      </ul>
      {rows.length > MAX_SHOWN ? (
        <p className="xs mute">{formatCount(rows.length - MAX_SHOWN)} more in the filter above</p>
      ) : null}
    </>
  );
}

/** What there is in this time; a click filters by it, a second one lets go. */
export function FacetsPanel({ facets, search, onChange }: FacetsPanelProps) {
  const { services = [], operations = [] } = facets ?? {};
  const shared = sharedNames(operations);
  return (
    <section className="card tr-facets" aria-label="Services and operations">
      <FacetList
        title="Services"
        rows={services.map((row) => ({
          ...row,
          ...{ key: row.name, service: row.name, isShared: false, isChosen: search.service?.includes(row.name) ?? false },
        }))}
        onToggle={({ name }) => onChange({ service: toggled(search.service, name) })}
      />
      {facets ? null : <Ghost width="80%" />}
      <FacetList
        title="Operations"
        rows={operations.map((row) => ({
          ...row,
          ...{ key: `${row.service}\n${row.name}`, isShared: shared.has(row.name), isChosen: isChosen(search, row) },
        }))}
        onToggle={(row) => onChange(toggleOperation(search, row, operations))}
      />
    </section>
  );
}
