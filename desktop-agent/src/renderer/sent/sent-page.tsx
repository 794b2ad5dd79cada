import { useEffect, useState } from 'react';
import type { Snapshot } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageFrame } from '../ui/page.tsx';
import { faultWords } from '../use-call.ts';
import { useWords } from '../words-context.ts';
import { ExportButton } from './export-button.tsx';
import { LedgerRow } from './ledger-row.tsx';
import { type Ledger, useLedger } from './use-ledger.ts';

const TYPING_MS = 200;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled.trim();
}

function Search({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  const { t } = useWords();
  return (
    <label className="field grow">
      <Icon name="search" size={14} />
      <input
        type="search"
        value={search}
        maxLength={200}
        placeholder={t('sent.search')}
        aria-label={t('sent.search')}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onSearch('');
        }}
      />
    </label>
  );
}

function Rows({ ledger }: { ledger: Ledger }) {
  const words = useWords();
  const now = Date.now();
  const day = (atMs: number): string => words.date(atMs, now);
  return (
    <ul className="entries">
      {ledger.entries.map((entry, index) => {
        const before = index === 0 ? day(now) : day(ledger.entries[index - 1]?.atMs ?? now);
        return <LedgerRow key={entry.id} entry={entry} dayBefore={day(entry.atMs) === before ? null : day(entry.atMs)} />;
      })}
    </ul>
  );
}

function Empty({ search, onClear }: { search: string; onClear: () => void }) {
  const { t } = useWords();
  if (search === '') return <p className="empty soft">{t('sent.empty')}</p>;
  return (
    <p className="empty soft">
      {t('sent.noMatch', { search })}{' '}
      <button type="button" className="link" onClick={onClear}>
        {t('sent.clear')}
      </button>
    </p>
  );
}

function Counts({ ledger, waiting }: { ledger: Ledger; waiting: number }) {
  const words = useWords();
  const [checked, setChecked] = useState('');
  const { page } = ledger;
  if (!page) return null;
  const check = async (): Promise<void> => {
    setChecked('');
    const found = await ledger.refresh();
    if (found) setChecked(found.intact ? words.t('sent.chainWhole', { n: found.total }) : words.t('sent.chainBroken'));
  };
  return (
    <>
      <span className="s soft grow" role="status">
        {checked || words.t('sent.today', { n: page.todayEntries, bytes: words.bytes(page.todayBytes), waiting })}
      </span>
      <button type="button" className="link" onClick={() => void check()}>
        {words.t('sent.check')}
      </button>
    </>
  );
}

/** Every payload of the last seven days, as it was measured and as it was sent. */
export function SentPage({ snapshot }: { snapshot: Snapshot }) {
  const words = useWords();
  const [search, setSearch] = useState('');
  const settled = useSettled(search);
  const ledger = useLedger(settled);
  const { link } = snapshot;
  const fault = link.reachable ? ledger.fault : 'unreachable';
  const waiting = link.reachable ? link.state.waiting : 0;
  return (
    <PageFrame tab="sent" footer={ledger.page ? <Counts ledger={ledger} waiting={waiting} /> : undefined}>
      <h1 className="sr">{words.t('tab.sent')}</h1>
      <div className="find">
        <Search search={search} onSearch={setSearch} />
        <ExportButton search={settled} />
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {faultWords(words, fault)}
        </p>
      ) : null}
      {ledger.page && !ledger.page.intact ? <Notice icon="gone">{words.t('sent.chainBroken')}</Notice> : null}
      {ledger.page && ledger.entries.length === 0 ? <Empty search={settled} onClear={() => setSearch('')} /> : null}
      <Rows ledger={ledger} />
      {ledger.hasMore ? (
        <button type="button" className="link" onClick={ledger.showMore}>
          {words.t('sent.older')}
        </button>
      ) : null}
    </PageFrame>
  );
}
