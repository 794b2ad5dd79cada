import type { PathView } from '@svc/contracts/agent/ipc';
import type { Cause } from '@svc/contracts/verdict';
import { targetName } from '../../i18n/verdict-words.ts';
import type { Words } from '../../i18n/words.ts';
import { useWidth } from '../ui/use-width.ts';
import { useWords } from '../words-context.ts';
import { type Station, stationsOf } from './path-stations.ts';

/** Pixels: room for a name of about eleven letters, the radius of a circle, the line that the circles stand on, a letter. */
const STEP = 66;
const RADIUS = 6;
const LINE = 18;
const LETTER = 5.8;

function nameOf(words: Words, station: Station, path: PathView): string {
  const { t } = words;
  const { kind, from, to } = station;
  if (kind === 'device') return t('path.device');
  if (kind === 'gateway') return t('path.gateway');
  if (kind === 'end') return targetName(path.target);
  if (kind === 'silent') return t('path.silent', { list: from === to ? words.number(from) : `${from}–${to}` });
  if (kind === 'group') return t('path.hops', { from, to });
  return station.segment === 'isp-edge' ? t('path.isp') : t('path.hop', { n: from });
}

/** The whole name stands in the tooltip, and in the table of all hops. */
function fullNameOf(words: Words, station: Station, path: PathView): string {
  const name = nameOf(words, station, path);
  return station.kind === 'hop' && station.masked ? words.t('path.masked', { name }) : name;
}

const shorten = (name: string, letters: number): string =>
  name.length > letters ? `${name.slice(0, Math.max(2, letters - 1))}…` : name;

/** Names within their share of the width; the outer two hang on one side and take what their neighbours leave. */
function fitNames(names: readonly string[], full: readonly string[], step: number): string[] {
  const most = Math.floor((step - 2) / LETTER);
  const fits = names.map((name, index) => {
    const whole = full[index] ?? name;
    return whole.length <= most ? whole : shorten(name, most);
  });
  const last = names.length - 1;
  const roomBeside = (neighbour: number): number => {
    const taken = (fits[neighbour] ?? '').length * LETTER;
    return Math.floor((step + RADIUS - 4 - (last === 1 ? taken : taken / 2)) / LETTER);
  };
  if (last > 1) fits[0] = shorten(names[0] ?? '', roomBeside(1));
  fits[last] = shorten(names[last] ?? '', roomBeside(last - 1));
  return fits;
}

const CAUSE_OF = { local: ['wifi', 'local'], 'isp-edge': ['isp'], beyond: ['network'] } as const;
const isBlamed = (station: Station, cause: Cause): boolean =>
  station.segment !== null && (CAUSE_OF[station.segment] as readonly string[]).includes(cause);

/** A thousandth lost is a hair, a tenth and more is as thick as the circle permits. */
const widthOf = (lost: number): number => (lost === 0 ? 1 : Math.min(8, 3 + lost * 50));

function describe(words: Words, stations: readonly Station[], path: PathView): string {
  const target = targetName(path.target);
  const losses = stations
    .filter((station) => (station.lost ?? 0) > 0)
    .map((station) => words.t('path.lostOn', { percent: words.percent(station.lost ?? 0), name: nameOf(words, station, path) }));
  const reached = path.reached ? [] : [words.t('path.notReached', { target })];
  const list = [...losses, ...reached];
  return words.t('path.label', { target, list: words.list(list.length > 0 ? list : [words.t('path.noLoss')]) });
}

interface EdgeProps {
  station: Station;
  from: number;
  to: number;
  cause: Cause;
  cut: boolean;
}

function Edge({ station, from, to, cause, cut }: EdgeProps) {
  const words = useWords();
  const lost = station.lost ?? 0;
  const tone = lost > 0 ? (isBlamed(station, cause) ? `c-${cause}` : 'lossy') : '';
  const text = station.lost === null ? '' : lost > 0 ? words.t('path.lost', { percent: words.percent(lost) }) : words.percent(0);
  return (
    <g className={`edge ${tone}`}>
      <path
        d={`M${from + RADIUS} ${LINE}H${to - RADIUS}`}
        strokeWidth={widthOf(lost)}
        strokeDasharray={cut ? '3 4' : undefined}
      />
      <text x={(from + to) / 2} y={9} textAnchor="middle">
        {text}
      </text>
    </g>
  );
}

/** Circles on a line; the line is as thick as what is lost on it, with the share written above. */
export function PathGraph({ path, cause }: { path: PathView; cause: Cause }) {
  const words = useWords();
  const [ref, width] = useWidth<HTMLDivElement>(368);
  const stations = stationsOf(path, Math.max(4, Math.floor(width / STEP) + 1));
  const last = stations.length - 1;
  const place = (index: number): number => 10 + (index * (width - 20)) / Math.max(1, last);
  const step = (width - 20) / Math.max(1, last);
  const full = stations.map((station) => fullNameOf(words, station, path));
  const names = fitNames(
    stations.map((station) => nameOf(words, station, path)),
    full,
    step,
  );
  return (
    <div ref={ref}>
      <svg className="graph" height="52" width="100%" role="img" aria-label={describe(words, stations, path)}>
        {stations.slice(1).map((station, index) => (
          <Edge
            key={station.from}
            station={station}
            from={place(index)}
            to={place(index + 1)}
            cause={cause}
            cut={index + 1 === last && !path.reached}
          />
        ))}
        {stations.map((station, index) => {
          const anchor = index === 0 ? 'start' : index === last ? 'end' : 'middle';
          const x = place(index) + (index === 0 ? -6 : index === last ? 6 : 0);
          return (
            <g key={station.from} className={station.masked || station.kind === 'silent' ? 'node dashed' : 'node'}>
              <circle cx={place(index)} cy={LINE} r={RADIUS} />
              <text x={x} y={44} textAnchor={anchor}>
                <title>{full[index]}</title>
                {names[index]}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
