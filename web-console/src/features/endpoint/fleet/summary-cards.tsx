import type { FleetSummary, Verdict as VerdictValue } from '@svc/contracts/endpoint/view';
import type { Health } from '@svc/contracts/judged/healths';
import type { SentencePart } from '@svc/contracts/judged/sentence';
import { Link } from '@tanstack/react-router';
import { Verdict, VerdictIcon } from '../../../ui/devices/verdict.tsx';
import { NO_VERDICT, SLOW_CAUSES } from '../../../ui/devices/verdict-states.ts';
import { CAUSE_IN_SENTENCE, CAUSE_NAMES, toneOf } from '../../../ui/devices/verdict-words.ts';
import { HealthMark } from '../../../ui/judged/row-verdict.tsx';
import { Sentence } from '../../../ui/moments/sentence.tsx';
import { formatCount, formatPercent } from '../../../ui/words/format.ts';
import type { FleetSearch } from './fleet-search.ts';
import { type Counts, countHealths, countVerdicts, describeShared, type Healths, sumOf } from './fleet-sentence.ts';

interface Tile {
  key: string;
  icon: VerdictValue;
  word: string;
  verdicts: readonly VerdictValue[];
}

/** Of the devices that are not slow: green are those of which all was measured and nothing is off. */
const HEALTH_TILES = ['healthy', 'partial', 'off'] as const satisfies readonly Health[];
type HealthTile = (typeof HEALTH_TILES)[number];
/** What has only just begun to measure is measured in part. */
const HEALTHS_OF: Readonly<Record<HealthTile, readonly Health[]>> = {
  healthy: ['healthy'],
  partial: ['partial', 'measuring'],
  off: ['off'],
};
const tileCount = (healths: Healths, tile: HealthTile): number =>
  HEALTHS_OF[tile].reduce((sum, health) => sum + (healths.get(health) ?? 0), 0);

const TILES: readonly Tile[] = [
  { key: 'wifi', icon: 'wifi', word: CAUSE_NAMES.wifi, verdicts: ['wifi'] },
  { key: 'local', icon: 'local', word: CAUSE_NAMES.local, verdicts: ['local'] },
  { key: 'isp', icon: 'isp', word: CAUSE_NAMES.isp, verdicts: ['isp'] },
  { key: 'network', icon: 'network', word: CAUSE_NAMES.network, verdicts: ['network'] },
  { key: 'unknown', icon: 'unknown', word: CAUSE_NAMES.unknown, verdicts: ['unknown'] },
  { key: 'silent', icon: 'paused', word: 'No verdict', verdicts: NO_VERDICT },
];

const BAR_WIDTH = 616;
const MIN_SEGMENT = 3;
const SEGMENT_GAP = 2;

/** Widths by share with a floor of 3 px for whatever is there at all, so that one device of ten thousand shows. */
export function segmentWidths(counts: readonly number[]): number[] {
  const shown = counts.filter((count) => count > 0).length;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => 0);
  const free = BAR_WIDTH - SEGMENT_GAP * (shown - 1) - MIN_SEGMENT * shown;
  return counts.map((count) => (count === 0 ? 0 : MIN_SEGMENT + (free * count) / total));
}

const HEALTH_FILLS: Readonly<Record<HealthTile, string>> = { healthy: 'f-ok', partial: 'f-partial', off: 'f-off' };

function fillOf({ icon }: Tile): string {
  const tone = toneOf(icon);
  if (tone === 'none') return 'f-gap half';
  return tone === 'unknown' ? 'f-solid-unknown' : `f-${tone}`;
}

function VerdictBar({ counts, healths }: { counts: Counts; healths: Healths }) {
  const parts = [
    ...HEALTH_TILES.map((health) => ({ key: health, size: tileCount(healths, health), fill: HEALTH_FILLS[health] })),
    ...TILES.map((tile) => ({ key: tile.key, size: sumOf(counts, tile.verdicts), fill: fillOf(tile) })),
  ];
  const sizes = parts.map(({ size }) => size);
  const widths = segmentWidths(sizes);
  let x = 0;
  return (
    <div className="dbar">
      <svg width="100%" height="8" viewBox={`0 0 ${BAR_WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ key, fill }, index) => {
          const width = widths[index] ?? 0;
          const at = x;
          if (width > 0) x += width + SEGMENT_GAP;
          return width > 0 ? <rect key={key} x={at} width={width} height="8" className={fill} /> : null;
        })}
      </svg>
    </div>
  );
}

const STATE_SHORT: Readonly<Record<(typeof NO_VERDICT)[number], string>> = {
  paused: 'paused',
  no_contact: 'no contact',
  needs_permission: 'need permission',
  declined: 'declined',
  update_required: 'outdated',
  pending: 'pending',
};

/** The line under a tile's count: the share, since when, or which states. */
function tileNote(tile: Tile, summary: FleetSummary, counts: Counts): SentencePart[] {
  const count = sumOf(counts, tile.verdicts);
  if (count === 0) return ['none'];
  if (tile.key === 'silent') {
    const states = NO_VERDICT.filter((state) => counts.get(state)).map((state) => `${counts.get(state)} ${STATE_SHORT[state]}`);
    return [states.slice(0, 2).join(', ')];
  }
  const since = summary.shared.filter((item) => item.cause === tile.key && item.since !== null && item.affected >= 0.5 * count)[0]
    ?.since;
  if (since) return ['most since ', { at: since }];
  return [formatPercent(count / summary.total)];
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item) => b.includes(item));

interface SlowBarsProps {
  hours: readonly number[];
  slowNow: number;
  /** True while the table shows just the slow ones. */
  pressed: boolean;
  onPress: () => void;
}

/** Slow devices by the hour; their count of now filters the table, for no tile stands for every cause. */
function SlowBars({ hours, slowNow, pressed, onPress }: SlowBarsProps) {
  const most = Math.max(1, ...hours);
  const bars = hours.map((count, index) => ({ at: index * 5, count, height: Math.max(2, Math.round((20 * count) / most)) }));
  // The last hour is not over, so that more or fewer may be slow now than in any of them.
  const all = [...hours, slowNow];
  const span = `${formatCount(Math.min(...all))}\u2013${formatCount(Math.max(...all))}`;
  return (
    <li className="sp">
      <svg
        width="119"
        height="22"
        role="img"
        aria-label={`Slow devices in each of the last ${hours.length} hours and now: ${span}`}
      >
        {bars.map((bar) => (
          <rect
            key={bar.at}
            x={bar.at}
            y={22 - bar.height}
            width="4"
            height={bar.height}
            className={bar.count > most / 2 ? 'bar-high' : 'bar-low'}
          />
        ))}
      </svg>
      <small>
        {slowNow > 0 ? (
          <button type="button" className="linkish" aria-pressed={pressed} onClick={onPress}>
            {formatCount(slowNow)} slow now
          </button>
        ) : (
          '0 slow now'
        )}
        {hours.length > 0 ? `, ${span} in ${hours.length} h` : null}
      </small>
    </li>
  );
}

interface CardsProps {
  summary: FleetSummary;
  search: FleetSearch;
  onFilter: (search: FleetSearch) => void;
}

/** Counts by verdict; a tile filters the table and lets go again. */
export function VerdictTiles({ summary, search, onFilter }: CardsProps) {
  const counts = countVerdicts(summary);
  const healths = countHealths(summary);
  const onlySlow = sameSet(search.verdict ?? [], SLOW_CAUSES);
  return (
    <section className="card dist" aria-labelledby="verdicts-now">
      <header>
        <h2 id="verdicts-now">Verdicts now</h2>
        <span className="s mute">Choose one to see only those devices</span>
      </header>
      <VerdictBar counts={counts} healths={healths} />
      <ul className="dl">
        {HEALTH_TILES.map((health) => {
          const count = tileCount(healths, health);
          const pressed = sameSet(search.health ?? [], HEALTHS_OF[health]);
          return (
            <li key={health}>
              <button
                type="button"
                className={count === 0 ? 'db zero' : 'db'}
                aria-pressed={pressed}
                onClick={() => onFilter({ health: pressed ? undefined : [...HEALTHS_OF[health]], verdict: undefined })}
              >
                {health === 'healthy' ? <Verdict verdict="none" /> : <HealthMark health={health} />}
                <b className="num">{formatCount(count)}</b>
                <small>{count === 0 ? 'none' : formatPercent(count / summary.total)}</small>
              </button>
            </li>
          );
        })}
        {TILES.map((tile) => {
          const count = sumOf(counts, tile.verdicts);
          const pressed = sameSet(search.verdict ?? [], tile.verdicts);
          return (
            <li key={tile.key}>
              <button
                type="button"
                className={count === 0 ? 'db zero' : 'db'}
                aria-pressed={pressed}
                onClick={() => onFilter({ verdict: pressed ? undefined : [...tile.verdicts], health: undefined })}
              >
                <Verdict verdict={tile.icon} word={tile.word} />
                <b className="num">{formatCount(count)}</b>
                <small>
                  <Sentence parts={tileNote(tile, summary, counts)} />
                </small>
              </button>
            </li>
          );
        })}
        <SlowBars
          hours={summary.slow_by_hour}
          slowNow={sumOf(counts, SLOW_CAUSES)}
          pressed={onlySlow}
          onPress={() => onFilter({ verdict: onlySlow ? undefined : [...SLOW_CAUSES], health: undefined })}
        />
      </ul>
    </section>
  );
}

/** Whom it hurts, since when, and whom not: "9 of 14 devices behind it, most of them since 08:42. The other 5 are not slow because of Wi-Fi." */
export function describeGroup({ cause, gateway, affected, of, since }: FleetSummary['shared'][number]): SentencePart[] {
  const who = affected === of ? `All ${formatCount(of)} devices` : `${formatCount(affected)} of ${formatCount(of)} devices`;
  const when: SentencePart[] = since ? [', most of them since ', { at: since }] : [];
  const others = of - affected;
  const why = cause === 'none' ? '' : ` because of ${CAUSE_IN_SENTENCE[cause]}`;
  const rest = others > 0 ? ` The other ${formatCount(others)} ${others === 1 ? 'is' : 'are'} not slow${why}.` : '';
  return [`${who} ${gateway ? 'behind it' : 'there'}`, ...when, `.${rest}`];
}

const SHOWN_CAUSES = 3;

/** What several slow devices have in common, the largest first. */
export function SharedCauses({ summary }: { summary: FleetSummary }) {
  const slow = sumOf(countVerdicts(summary), SLOW_CAUSES);
  const shown = summary.shared.slice(0, SHOWN_CAUSES);
  return (
    <section className="card shared" aria-labelledby="shared-causes">
      <header>
        <h2 id="shared-causes">Shared causes</h2>
        <span className="s mute">{describeShared(summary)}</span>
      </header>
      {shown.length === 0 ? (
        <p className="none soft s">
          {slow === 0 ? 'Nothing is slow.' : 'The slow devices have no site and gateway in common, from three devices on.'}
        </p>
      ) : (
        <ul>
          {shown.map((item) => (
            <li key={`${item.cause} ${item.site} ${item.gateway}`}>
              <VerdictIcon verdict={item.cause} />
              <p>
                <b>{[item.gateway ? `Gateway ${item.gateway}` : '', item.site ?? ''].filter(Boolean).join(', ')}.</b>{' '}
                <Sentence parts={describeGroup(item)} />
              </p>
              <Link
                to="/fleet"
                className="nowrap"
                search={{
                  verdict: [item.cause],
                  ...(item.site ? { site: [item.site] } : {}),
                  ...(item.gateway ? { gateway: item.gateway } : {}),
                }}
              >
                Show {formatCount(item.affected)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {summary.shared.length > SHOWN_CAUSES ? (
        <p className="none s">
          <Link to="/fleet" search={{ verdict: [...SLOW_CAUSES] }}>
            All {formatCount(slow)} slow devices
          </Link>
        </p>
      ) : null}
    </section>
  );
}
