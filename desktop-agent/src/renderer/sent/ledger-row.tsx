import type { IpcOutput, LedgerEntry, LedgerResult } from '@svc/contracts/agent/ipc';
import { useId, useState } from 'react';
import type { Words } from '../../i18n/words.ts';
import { Icon } from '../ui/icon.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useWords } from '../words-context.ts';
import { compareResult, headOf } from './compare-result.ts';

const TYPES = ['wifi', 'gateway', 'lastmile', 'session', 'resolver', 'attribution', 'agent'] as const;
/** Results shown before a person asks for more. */
const FIRST = 4;

function typeName(words: Words, type: string): string {
  const short = type.replace('endpoint.', '');
  const known = TYPES.find((one) => one === short);
  return known ? words.t(`sent.type.${known}`) : short;
}

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** What an entry holds, in a word for each. */
const contentOf = (words: Words, { kind, types }: LedgerEntry): string =>
  capital(kind === 'results' ? words.list(types.map((type) => typeName(words, type))) : words.t(`sent.kind.${kind}`));

function ReceivedTable({ entry, result }: { entry: LedgerEntry; result: LedgerResult }) {
  const words = useWords();
  return (
    <table className="compare">
      <caption>{contentOf(words, entry)}</caption>
      <thead>
        <tr>
          <th scope="col">{words.t('sent.asReceived')}</th>
        </tr>
      </thead>
      <tbody>
        {compareResult(result).map(({ name, sent }) => (
          <tr key={name}>
            <td>
              {name} {sent}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ResultTable({ entry, result }: { entry: LedgerEntry; result: LedgerResult }) {
  const words = useWords();
  const { type, target } = headOf(result);
  const changed = result.withheld.length;
  if (entry.direction === 'received') return <ReceivedTable entry={entry} result={result} />;
  return (
    <table className="compare">
      <caption>
        {entry.kind === 'results' ? capital(typeName(words, type)) : contentOf(words, entry)}{' '}
        <span className="mute wrap">{target}</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">{words.t('sent.before')}</th>
          <th scope="col">{changed > 0 ? words.t('sent.after', { n: changed }) : words.t('sent.afterSame')}</th>
        </tr>
      </thead>
      <tbody>
        {compareResult(result).map(({ name, before, sent, changed: differs }) => {
          const line = (value: string | null) => (value === null ? '' : `${name} ${value}`);
          return (
            <tr key={name}>
              <td>{differs ? <del>{line(before)}</del> : line(before)}</td>
              <td>{differs ? <ins>{line(sent)}</ins> : line(sent)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What became of it beyond this device. */
const outcomeOf = (words: Words, { direction, receipt, server }: LedgerEntry): string =>
  direction === 'received' ? words.t('sent.receivedFrom', { server }) : words.t(`sent.receipt.${receipt}`, { server });

const isProof = ({ intact, receipt }: LedgerEntry): boolean => intact && receipt !== 'invalid';

function EntryDetail({ entry, results }: { entry: LedgerEntry; results: readonly LedgerResult[] }) {
  const words = useWords();
  const [shown, setShown] = useState(FIRST);
  const rest = results.length - shown;
  return (
    <>
      {results.slice(0, shown).map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result is its place in what was written
        <ResultTable key={index} entry={entry} result={result} />
      ))}
      {rest > 0 ? (
        <button type="button" className="link" onClick={() => setShown(shown + 20)}>
          {words.t('sent.moreResults', { n: Math.min(20, rest) })}
        </button>
      ) : null}
      <p className={isProof(entry) ? 'proof soft' : 'proof broken'}>
        <Icon name={isProof(entry) ? 'check' : 'gone'} size={14} />
        <span>
          {entry.intact ? `${outcomeOf(words, entry)} ${words.t('sent.proof', { id: entry.id })}` : words.t('sent.broken')}
        </span>
      </p>
    </>
  );
}

const stateOf = ({ direction, intact }: LedgerEntry) => {
  if (!intact) return 'sent.changed';
  return direction === 'received' ? 'sent.stateReceived' : 'sent.state';
};

/** One message that left; opened, each of its results as it was measured and as it was sent. */
export function LedgerRow({ entry, dayBefore }: { entry: LedgerEntry; dayBefore: string | null }) {
  const words = useWords();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [results, setResults] = useState<readonly LedgerResult[] | null>(null);
  const { run, fault } = useCall('ledgerEntry');
  // A large batch comes in pieces.
  const load = async (): Promise<void> => {
    const found: LedgerResult[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const part: IpcOutput<'ledgerEntry'> | undefined = await run({ id: entry.id, from });
      if (!part) return;
      found.push(...part.results);
      setResults([...found]);
      from = part.next;
    }
  };
  const toggle = (): void => {
    if (!open && !results) void load();
    setOpen(!open);
  };
  const types = contentOf(words, entry);
  return (
    <li>
      {dayBefore ? <h2 className="day">{dayBefore}</h2> : null}
      <button type="button" className="entry" aria-expanded={open} aria-controls={open ? id : undefined} onClick={toggle}>
        <Icon name={open ? 'down' : 'right'} size={12} className="mute" />
        <span className="num">{words.clockSeconds(entry.atMs)}</span>
        <b className="cut grow" title={types}>
          {types}
        </b>
        <span className="num mute">{words.bytes(entry.bytes)}</span>
        <span className={entry.intact ? 'mute' : 'broken'}>{words.t(stateOf(entry))}</span>
      </button>
      {open ? (
        <div className="payload" id={id}>
          {fault ? (
            <p className="fault" role="alert">
              {faultWords(words, fault)}
            </p>
          ) : null}
          {results ? <EntryDetail entry={entry} results={results} /> : null}
        </div>
      ) : null}
    </li>
  );
}
