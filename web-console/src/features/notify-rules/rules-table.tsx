import type { Connector } from '@svc/contracts/notify/connector';
import type { Rule } from '@svc/contracts/notify/rule';
import { useState } from 'react';
import { tell } from '../../api.ts';
import { Button, IconButton } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { ConfirmChange } from '../../ui/dialogs/dialogs.tsx';
import { rulesQuery } from '../../ui/notify/notify-queries.ts';
import { describeLeftOut, leftOutBy } from '../../ui/notify/rules-effect.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { ACTIONS, type Column, ColumnHeads } from '../../ui/table/column-heads.tsx';
import { joinWords } from '../../ui/words/format.ts';
import { delayWords, quietWords, whenWords, whichWords } from './rule-words.ts';

const COLUMNS: readonly Column[] = ['Rule', 'State', 'Incidents', 'When', 'Delay', 'Quiet hours', 'To', ACTIONS];

interface TableProps {
  items: readonly Rule[] | undefined;
  connectors: readonly Connector[] | undefined;
  onEdit: (id: string) => void;
}

type Act = { what: 'switch' | 'remove'; rule: Rule };

/** The element that opens a rule's editor, which it leads back to. */
export const editorOf = (rule: string): string => `nfr-edit-${rule}`;

/** All rules, in the order in which they were made: it decides nothing, the earliest moment does. */
export function RulesTable({ items, connectors, onEdit }: TableProps) {
  const mayWrite = useMay('settings.write');
  const [act, setAct] = useState<Act>();
  return (
    <>
      <ScrollX label="Rules">
        <table aria-busy={items === undefined}>
          <ColumnHeads columns={mayWrite ? COLUMNS : COLUMNS.slice(0, -1)} />
          <tbody>
            {items?.map((rule) => (
              <Row
                key={rule.id}
                rule={rule}
                connectors={connectors}
                acts={mayWrite ? { edit: () => onEdit(rule.id), ask: (what) => setAct({ what, rule }) } : undefined}
              />
            )) ?? (
              <tr>
                <td colSpan={COLUMNS.length}>
                  <Ghost width={560} />
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </ScrollX>
      {act && items ? <AskFirst act={act} rules={items} connectors={connectors ?? []} onClose={() => setAct(undefined)} /> : null}
    </>
  );
}

interface RowProps {
  rule: Rule;
  connectors: readonly Connector[] | undefined;
  acts: { edit: () => void; ask: (what: Act['what']) => void } | undefined;
}

function Row({ rule, connectors, acts }: RowProps) {
  return (
    <tr>
      <td className="med">{rule.name}</td>
      <td>
        <span className="nfy-state">
          <Icon name={rule.enabled ? 'check' : 'paused'} size={14} />
          <span>{rule.enabled ? 'On' : 'Off'}</span>
        </span>
      </td>
      <td className="wrap">{whichWords(rule)}</td>
      <td>{whenWords(rule)}</td>
      <td>{delayWords(rule.delay_seconds)}</td>
      <td>{rule.quiet === null ? <span className="mute">None</span> : quietWords(rule)}</td>
      <td className="wrap">{toWords(rule, connectors)}</td>
      {acts ? (
        <td className="n nowrap nfr-acts">
          <Button
            look="quiet"
            onClick={() => acts.ask('switch')}
            aria-label={`Switch ${rule.enabled ? 'off' : 'on'} ${rule.name}`}
          >
            {rule.enabled ? 'Switch off' : 'Switch on'}
          </Button>
          <IconButton icon="pencil" id={editorOf(rule.id)} label={`Change ${rule.name}`} onClick={acts.edit} />
          <IconButton icon="trash" label={`Delete ${rule.name}`} onClick={() => acts.ask('remove')} />
        </td>
      ) : null}
    </tr>
  );
}

function toWords(rule: Rule, connectors: readonly Connector[] | undefined): string {
  if (rule.connectors.length === 0) return 'Every connector';
  if (!connectors) return `${rule.connectors.length} connectors`;
  return joinWords(rule.connectors.map((id) => connectors.find((one) => one.id === id)?.name ?? 'a deleted connector'));
}

/** What switching or deleting a rule does to who is told, in a sentence. */
function consequence(after: readonly Rule[], connectors: readonly Connector[]): string {
  if (!after.some(({ enabled }) => enabled))
    return 'No rule is on then: every connector is told of every incident, at once, by day and by night.';
  return `From then on what fits none of the rules that are on reaches nobody. ${describeLeftOut(leftOutBy(after, connectors))}`;
}

interface AskProps {
  act: Act;
  rules: readonly Rule[];
  connectors: readonly Connector[];
  onClose: () => void;
}

function AskFirst({ act: { what, rule }, rules, connectors, onClose }: AskProps) {
  if (what === 'remove')
    return (
      <ConfirmChange
        title={`Delete ${rule.name}?`}
        action="Delete"
        change={() => tell('notifyRules.remove', { id: rule.id })}
        list={rulesQuery.queryKey}
        onClose={onClose}
      >
        What it has sent goes on being updated and closed.{' '}
        {rule.enabled
          ? consequence(
              rules.filter(({ id }) => id !== rule.id),
              connectors,
            )
          : 'It is off, so nothing else changes.'}
      </ConfirmChange>
    );
  const enabled = !rule.enabled;
  const { created_at: _at, created_by: _by, changed_at: _changed, ...kept } = rule;
  return (
    <ConfirmChange
      title={`Switch ${rule.name} ${enabled ? 'on' : 'off'}?`}
      action={enabled ? 'Switch on' : 'Switch off'}
      change={() => tell('notifyRules.change', { ...kept, enabled })}
      list={rulesQuery.queryKey}
      onClose={onClose}
    >
      {consequence(
        rules.map((one) => (one.id === rule.id ? { ...one, enabled } : one)),
        connectors,
      )}
    </ConfirmChange>
  );
}
