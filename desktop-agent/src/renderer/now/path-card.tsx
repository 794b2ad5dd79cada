import type { HopView, PathView, VerdictView } from '@svc/contracts/agent/ipc';
import { useId, useState } from 'react';
import { targetName } from '../../i18n/verdict-words.ts';
import { useWords } from '../words-context.ts';
import { PathGraph } from './path-graph.tsx';

function HopRow({ hop }: { hop: HopView }) {
  const words = useWords();
  const { t } = words;
  const silent = hop.rttMs === null && hop.address === null;
  return (
    <tr>
      <td className="n">{words.number(hop.hop)}</td>
      <td>{t(`path.where.${hop.segment ?? 'unknown'}`)}</td>
      <td className="n">{hop.rttMs === null ? t('path.silentCell') : words.ms(hop.rttMs)}</td>
      <td className="n">{hop.lossRatio === null || silent ? '' : words.percent(hop.lossRatio)}</td>
      <td className="wrap">
        {hop.address} {hop.address !== null && !hop.shared ? <span className="mute">{t('path.staysHere')}</span> : null}
      </td>
    </tr>
  );
}

function HopTable({ path, id }: { path: PathView; id: string }) {
  const { t } = useWords();
  return (
    <table className="hops" id={id}>
      <thead>
        <tr>
          {(['hop', 'where', 'rtt', 'loss', 'address'] as const).map((column) => (
            <th key={column} scope="col">
              {t(`path.col.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {path.hops.map((hop) => (
          <HopRow key={hop.hop} hop={hop} />
        ))}
      </tbody>
    </table>
  );
}

/** The blamed service's way where there is one, else the first. */
function firstPath(paths: readonly PathView[], verdict: VerdictView | null): string {
  const host = targetName(verdict?.fault?.target ?? '');
  return (paths.find((path) => host !== '' && host.startsWith(targetName(path.target))) ?? paths[0])?.target ?? '';
}

/** A path gives the ISP's reading; where nobody judged yet, no target would be a guess. */
const whyNone = (verdict: VerdictView | null) =>
  verdict?.layers.find(({ layer }) => layer === 'isp')?.unavailable ?? ('no_reading' as const);

export function PathCard({ paths, verdict }: { paths: readonly PathView[]; verdict: VerdictView | null }) {
  const { t } = useWords();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const target = paths.some((path) => path.target === chosen) ? chosen : firstPath(paths, verdict);
  const path = paths.find((one) => one.target === target);
  return (
    <section>
      <div className="head">
        <h2>{t('path.title')}</h2>
        {paths.length > 1 ? (
          <label className="pick">
            <span>{t('path.to')}</span>
            <select value={target ?? ''} onChange={(event) => setChosen(event.target.value)}>
              {paths.map((one) => (
                <option key={one.target} value={one.target}>
                  {targetName(one.target)}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {path && path.hops.length > 0 ? (
          <button
            type="button"
            className="link hop-button"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            onClick={() => setOpen(!open)}
          >
            {t('path.table')}
          </button>
        ) : null}
      </div>
      {path ? (
        <>
          <PathGraph path={path} cause={verdict?.cause ?? 'none'} />
          {open && path.hops.length > 0 ? <HopTable path={path} id={id} /> : null}
        </>
      ) : (
        <p className="mute s">{t('path.unmeasured', { why: t(`whyLong.${whyNone(verdict)}`) })}</p>
      )}
    </section>
  );
}
