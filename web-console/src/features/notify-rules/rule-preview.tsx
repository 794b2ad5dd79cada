import type { RuleBody, RulePreview } from '@svc/contracts/notify/rule';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { Segments } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ColumnHeads } from '../../ui/table/column-heads.tsx';
import { formatCount, plural } from '../../ui/words/format.ts';
import { SEVERITY_NAMES } from './rule-words.ts';

type Judged = RulePreview['incidents'][number];
const KINDS = ['sent', 'recovered', 'other'] as const;
type Kind = (typeof KINDS)[number];

const kindOf = (one: Judged): Kind => {
  if (one.told_at !== null) return 'sent';
  return one.recovered_before || one.acknowledged_before ? 'recovered' : 'other';
};
const KIND_WORDS: Readonly<Record<Kind, string>> = { sent: 'Sent', recovered: 'Over or acknowledged before', other: 'No fit' };
const NONE_WORDS: Readonly<Record<Kind, string>> = {
  sent: 'It would have sent none of them.',
  recovered: 'None was over or acknowledged before it would have been sent.',
  other: 'It fits every one of them.',
};

/** `body`: the rule as JSON; undefined while it cannot be tried. */
export function RulePreviewPart({ body }: { body: string | undefined }) {
  const preview = useQuery({
    queryKey: ['notifyRules.preview', body],
    queryFn: ({ signal }) => ask('notifyRules.preview', JSON.parse(body ?? '{}') as RuleBody, signal),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <section className="nfr-preview" aria-labelledby="preview-h" aria-busy={preview.isFetching}>
      <h3 id="preview-h" className="s med">
        Over the last 100 incidents
      </h3>
      {body === undefined ? (
        <p className="s mute">Correct the marked fields to see which incidents it would have sent.</p>
      ) : preview.isError && !preview.data ? (
        <Failure error={preview.error} retry={() => void preview.refetch()} />
      ) : preview.data ? (
        <Judgement preview={preview.data} />
      ) : (
        <Ghost width={240} says="Preview, loading" />
      )}
    </section>
  );
}

/** "It would have sent 12 of the last 100 incidents." */
const sentence = ({ looked_at: all, matched }: RulePreview): string => {
  if (all === 0) return 'There was no incident yet.';
  return `It would have sent ${matched === 0 ? 'none' : formatCount(matched)} of ${plural(all, 'incident')}.`;
};

function Judgement({ preview }: { preview: RulePreview }) {
  const [shown, setShown] = useState<Kind>('sent');
  const of = (kind: Kind): Judged[] => preview.incidents.filter((one) => kindOf(one) === kind);
  const items = of(shown);
  return (
    <>
      <p aria-live="polite">{sentence(preview)}</p>
      {preview.looked_at > 0 ? (
        <Segments
          label="Show"
          options={KINDS.map((value) => ({ value, label: `${KIND_WORDS[value]} ${of(value).length}` }))}
          value={shown}
          onChange={setShown}
        />
      ) : null}
      {preview.looked_at > 0 && items.length === 0 ? <p className="s mute">{NONE_WORDS[shown]}</p> : null}
      {items.length > 0 ? <JudgedTable items={items} shown={shown} /> : null}
      <p className="s mute">Judged by how they are now and when they opened; other rules are left aside. Nothing is sent.</p>
    </>
  );
}

function JudgedTable({ items, shown }: { items: readonly Judged[]; shown: Kind }) {
  return (
    <ScrollX label="Incidents">
      <table>
        <ColumnHeads columns={['Incident', 'Severity', 'Opened', ...(shown === 'sent' ? ['Sent'] : [])]} />
        <tbody>
          {items.map((one) => (
            <tr key={one.id}>
              <td className="nfr-title">
                <Link to="/incidents/$id" params={{ id: one.id }}>
                  {formatCount(one.number)} {one.title}
                </Link>
              </td>
              <td>{SEVERITY_NAMES[one.severity]}</td>
              <td>
                <Time at={one.opened_at} />
              </td>
              {one.told_at !== null ? (
                <td>
                  <Time at={one.told_at} />
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
