import './command-palette.css';
import { readHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { ask } from '../api.ts';
import { Icon } from '../ui/controls/icons.tsx';
import { Dialog } from '../ui/dialogs/dialog.tsx';
import { DESCRIBE_FORM, useHandOver } from '../ui/draft/use-draft.ts';
import { takeEarlyKeys } from '../ui/focus/early-keys.ts';
import { rowVerdictWord } from '../ui/judged/health-words.ts';
import { RowVerdictIcon } from '../ui/judged/row-verdict.tsx';
import { searchAround } from '../ui/moments/moment-link.ts';
import { useListedPages } from '../ui/page/use-listed-pages.ts';
import { useMay } from '../ui/permission/use-may.ts';
import { formatMoment } from '../ui/words/format.ts';

const MAX_DEVICES = 8;
const MAX_TESTS = 5;
const MAX_HOSTS = 5;

/** The same text after a rest of `ms`, so that typing asks the server once. */
function useRested(text: string, ms: number): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return rested;
}

function useDevices(text: string) {
  const search = useRested(text.trim(), 150);
  const readsFleet = useMay('agent.read');
  return useQuery({
    queryKey: ['palette', search],
    queryFn: ({ signal }) => ask('endpoint.list', { filter: { search }, sort: [], limit: MAX_DEVICES, offset: 0 }, signal),
    enabled: readsFleet && search !== '',
    placeholderData: keepPreviousData,
  });
}

function useTests(text: string) {
  const search = useRested(text.trim(), 150);
  const readsTests = useMay('test.read');
  return useQuery({
    queryKey: ['palette tests', search],
    queryFn: ({ signal }) => ask('tests.list', { search, limit: MAX_TESTS }, signal),
    enabled: readsTests && search !== '',
    placeholderData: keepPreviousData,
  });
}

/** Hosts of apps that real users visit. */
function useVisitedHosts(text: string) {
  const search = useRested(text.trim(), 150);
  const readsUsers = useMay('rum.read');
  return useQuery({
    queryKey: ['palette hosts', search],
    queryFn: ({ signal }) => ask('rum.overview', { search, limit: MAX_HOSTS }, signal),
    enabled: readsUsers && search !== '',
    placeholderData: keepPreviousData,
  });
}

interface Entry {
  key: string;
  icon: ReactNode;
  label: string;
  hint: string;
  open: () => void;
}

/** Words that ask for something rather than name it: several of them, or an address with its scheme. */
const isRequest = (text: string): boolean => text.split(/\s+/).length > 3 || text.includes('://');

/** The one thing to do that is no page: a test out of plain words, which may stand here already. */
function useDescribing(text: string): Entry[] {
  const mayWrite = useMay('test.write');
  const navigate = useNavigate();
  const handOver = useHandOver(DESCRIBE_FORM, { prompt: '' });
  const prompt = text.trim();
  const isNamed = 'describe what to watch, new test'.includes(prompt.toLowerCase());
  if (!mayWrite || prompt === '' || !(isNamed || isRequest(prompt))) return [];
  const open = (): void => {
    if (!isNamed) handOver({ prompt });
    void navigate({ to: '/tests', search: { drawer: 'describe' } });
  };
  const label = isNamed ? 'Describe what to watch' : `Describe what to watch: “${prompt}”`;
  return [{ key: 'describe', icon: <Icon name="plus" />, label, hint: 'New test', open }];
}

/** Devices first, then tests, hosts that users visit and pages; without a word only the pages. */
function useEntries(text: string): { entries: Entry[]; devices: ReturnType<typeof useDevices> } {
  const devices = useDevices(text);
  const tests = useTests(text).data?.items ?? [];
  const visited = useVisitedHosts(text).data?.verdicts ?? [];
  const navigate = useNavigate();
  const pages = useListedPages();
  const wanted = text.trim().toLowerCase();
  const found = wanted === '' ? [] : (devices.data?.items ?? []);
  const now = Date.now();
  const code = readHelpdeskCode(text, now);
  const traceId = /^[0-9a-f]{32}$/.test(wanted) ? wanted : undefined;
  const entries: Entry[] = [
    ...(traceId === undefined
      ? []
      : [
          {
            key: traceId,
            icon: <Icon name="waterfall" />,
            label: `Trace ${traceId.slice(0, 4)}…${traceId.slice(-4)}`,
            hint: 'Trace',
            open: () => void navigate({ to: '/traces/$id', params: { id: traceId } }),
          },
        ]),
    ...found.map((row) => ({
      key: row.id,
      icon: <RowVerdictIcon row={row} />,
      label: row.name ?? row.id,
      hint: code
        ? `at ${formatMoment(code.atMs, now)}, as the code says`
        : [row.owner, row.site, rowVerdictWord(row)].filter(Boolean).join(' · '),
      open: () => void navigate({ to: '/fleet/$id', params: { id: row.id }, search: code ? searchAround(code.atMs, now) : {} }),
    })),
    ...(wanted === '' ? [] : tests).map(({ test }) => ({
      key: test.id,
      icon: <Icon name="target" />,
      label: test.name,
      hint: `Test, ${test.target}`,
      open: () => void navigate({ to: '/tests/$id', params: { id: test.id } }),
    })),
    ...(wanted === '' ? [] : visited).map(({ app, host }) => ({
      key: `${app} ${host}`,
      icon: <Icon name="people" />,
      label: host ?? app,
      hint: `Real users of ${app}`,
      open: () =>
        void (host === null
          ? navigate({ to: '/rum/$app', params: { app } })
          : navigate({ to: '/rum/$app/$host', params: { app, host } })),
    })),
    ...pages
      .filter((page) => [page.title.toLowerCase(), ...(page.words ?? [])].some((words) => words.includes(wanted)))
      .map((page) => ({
        key: page.path,
        icon: <Icon name={page.icon} />,
        label: page.title,
        hint: 'Page',
        open: () => void navigate({ to: page.path }),
      })),
    ...useDescribing(text),
  ];
  return { entries, devices };
}

/** Finds a device, a test or a page by a few letters; arrows choose, Enter opens. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // The dialog has given the field the focus by now: what was typed before is put there.
  useEffect(() => {
    const typed = takeEarlyKeys();
    if (typed !== '') setText((text) => typed + text);
  }, []);
  const { entries, devices } = useEntries(text);
  const chosen = Math.min(at, entries.length - 1);
  const openAt = (index: number): void => {
    const entry = entries[index];
    if (!entry) return;
    onClose();
    entry.open();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') openAt(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog open title="Find a device, test or page" onClose={onClose} size={560}>
      <input
        className="input"
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[chosen] ? `palette-${chosen}` : undefined}
        aria-label="Device, owner, site, address, test or page"
        placeholder="Device, owner, site, address, test or page"
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Found entries={entries} chosen={chosen} onPoint={setAt} onOpen={openAt} onKeyDown={onKeyDown} />
      {entries.length === 0 ? (
        <p className="s mute">{devices.isFetching ? 'Looking' : `Nothing matches “${text.trim()}”.`}</p>
      ) : null}
      {devices.isError ? <p className="s err">Devices could not be searched: {devices.error.message}</p> : null}
    </Dialog>
  );
}

interface FoundProps {
  entries: readonly Entry[];
  chosen: number;
  onPoint: (index: number) => void;
  onOpen: (index: number) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

function Found({ entries, chosen, onPoint, onOpen, onKeyDown }: FoundProps) {
  return (
    <div className="palette" id="palette-list" role="listbox" aria-label="Found">
      {entries.map((entry, index) => (
        <div
          key={entry.key}
          id={`palette-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onOpen(index)}
          onKeyDown={onKeyDown}
          onMouseMove={() => onPoint(index)}
        >
          {entry.icon}
          <b>{entry.label}</b>
          <span className="mute">{entry.hint}</span>
        </div>
      ))}
    </div>
  );
}
