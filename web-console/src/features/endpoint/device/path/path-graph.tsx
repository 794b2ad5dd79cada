import type { Verdict } from '@svc/contracts/endpoint/view';
import type { VerdictFacts } from '@svc/contracts/judged/read-verdict';
import { useWidth } from '../../../../ui/charts/use-size.ts';
import { ScrollX } from '../../../../ui/controls/scroll-x.tsx';
import { shortTarget, targetHost } from '../../../../ui/devices/targets.ts';
import { formatMs, formatPercent, plural } from '../../../../ui/words/format.ts';
import { Bands } from './path-bands.tsx';
import { type Branch, buildGraph, type Path, type PathNode } from './path-layout.ts';
import { DEVICE_WIDTH, PAD, type Placed, placeTrunk } from './path-place.ts';
import { type BlamedWords, blamedWords, SEGMENT_WORDS, type Segment } from './segment-words.ts';

const MIDDLE = 112;
const BRANCH_GAP = 50;
const BRANCH_WIDTH = 136;

/** Where there is less room the drawing is scrolled sideways. */
const LEAST_WIDTH = 520;

interface GraphProps {
  paths: readonly Path[];
  verdict: Verdict;
  deviceName: string;
  gateway: string | null;
  /** What was judged at the time of the trace: named on the edge that is blamed, and on its bands. */
  judged: VerdictFacts['segments'] | undefined;
}

/** Which edge the verdict blames: Wi-Fi is the way to the first hop, the others the worst edge of their band. */
function blamedKey(trunk: readonly PathNode[], verdict: Verdict): string | undefined {
  if (verdict === 'wifi') return trunk[0]?.key;
  const band: Partial<Record<Verdict, Segment>> = { local: 'local', isp: 'isp-edge', network: 'beyond' };
  const nodes = trunk.filter((node) => node.segment === band[verdict]);
  const weight = (node: PathNode): number => (node.lossRatio ?? 0) * 10_000 + (node.addsMs ?? 0);
  return nodes.toSorted((a, b) => weight(b) - weight(a))[0]?.key;
}

/** Line width by the share lost on it: 1.5 px without loss, 6 px from a tenth on. */
const edgeWidth = (loss: number | null): number => 1.5 + Math.min(1, (loss ?? 0) / 0.1) * 4.5;

/** The way to the targets in three bands; the hop table beside it says the same in words. */
export function PathGraph({ paths, verdict, deviceName, gateway, judged }: GraphProps) {
  const [box, room] = useWidth<HTMLDivElement>();
  const width = room > 0 ? Math.max(room, LEAST_WIDTH) : 0;
  const { trunk, branches } = buildGraph(paths);
  const height = Math.max(200, 70 + branches.length * BRANCH_GAP);
  const decided = judged && blamedWords(judged);
  const words = describePath(trunk, branches, decided);
  const space = width - 2 * PAD - BRANCH_WIDTH - 44;
  const blamed = blamedKey(trunk, verdict);
  const { placed, compact } = placeTrunk(trunk, { space: Math.max(space, 200), blamed });
  const middle = Math.max(MIDDLE, height / 2 + 10);
  const start = Math.max(width - PAD - BRANCH_WIDTH, 0);
  const trunkEnd = placed.at(-1);
  const end = trunkEnd ? PAD + trunkEnd.x + trunkEnd.width : PAD + DEVICE_WIDTH;
  return (
    <ScrollX label="Path">
      <div ref={box} className="pathbox">
        {width > 0 ? (
          <svg width={width} height={height} role="img" aria-label={words}>
            <Bands placed={placed} width={width} height={height} judged={judged} />
            {placed.map((item, index) => {
              const before = placed[index - 1];
              const from = before ? PAD + before.x + before.width : PAD + DEVICE_WIDTH;
              return (
                <Edge
                  key={item.node.key}
                  node={item.node}
                  from={from}
                  to={PAD + item.x}
                  y={middle}
                  blamed={item.node.key === blamed ? verdict : undefined}
                  decided={item.node.key === blamed ? decided : undefined}
                />
              );
            })}
            {branches.map((branch, index) => (
              <BranchView
                key={branch.target}
                branch={branch}
                from={end}
                x={start}
                y={middle}
                at={middle + (index - (branches.length - 1) / 2) * BRANCH_GAP}
              />
            ))}
            <NodeBox x={PAD} y={middle} width={DEVICE_WIDTH} title="This device" note={deviceName} />
            {placed.map((item) => (
              <TrunkNode key={item.node.key} item={item} y={middle} compact={compact} gateway={gateway} />
            ))}
          </svg>
        ) : null}
      </div>
    </ScrollX>
  );
}

function describePath(trunk: readonly PathNode[], branches: readonly Branch[], decided: BlamedWords | undefined): string {
  const hops = trunk.reduce((sum, node) => sum + node.hops.length, 0);
  const targets = branches.map(
    (branch) => `${targetHost(branch.target)} ${branch.rttMs === null ? 'not reached' : formatMs(branch.rttMs)}`,
  );
  const blamed = decided
    ? ` Slow at ${SEGMENT_WORDS[decided.segment]}: ${[decided.value, decided.limit].filter(Boolean).join(', ')}.`
    : '';
  return `Path over ${plural(hops, 'hop')} to ${targets.join(', ')}.${blamed} The table of hops says the same of this trace.`;
}

interface EdgeProps {
  node: PathNode;
  from: number;
  to: number;
  y: number;
  blamed: Verdict | undefined;
  decided: BlamedWords | undefined;
}

function Edge({ node, from, to, y, blamed, decided }: EdgeProps) {
  const loss = node.lossRatio;
  const middle = (from + to) / 2;
  const traced = loss === null ? '' : `${formatPercent(loss)}${blamed && loss > 0 ? ' lost' : ''}`;
  const label = decided?.value ?? traced;
  const below = decided ? decided.limit : blamed && node.addsMs ? `+${formatMs(node.addsMs)}` : '';
  const colour = blamed ? `var(--c-${blamed})` : 'var(--line-strong)';
  const wide = label.length * 6 + 10;
  return (
    <g>
      <path d={`M${from} ${y}H${to}`} stroke={colour} strokeWidth={blamed ? Math.max(4, edgeWidth(loss)) : edgeWidth(loss)} />
      {blamed && (decided || (loss !== null && loss > 0)) ? (
        <>
          <rect x={middle - wide / 2} y={y - 36} width={wide} height="18" rx="3" fill={colour} />
          <text className="el on" x={middle} y={y - 23} textAnchor="middle" style={{ fill: `var(--on-${blamed})` }}>
            {label}
          </text>
        </>
      ) : (
        <text className="elm" x={middle} y={y - 24} textAnchor="middle">
          {label}
        </text>
      )}
      {below ? (
        <text className="el" x={middle} y={y + 20} textAnchor="middle" style={{ fill: `var(--c-${blamed}-text)` }}>
          {below}
        </text>
      ) : null}
    </g>
  );
}

const shorten = (text: string, width: number): string => {
  const most = Math.max(3, Math.floor((width - 14) / 5.8));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

interface BoxProps {
  x: number;
  y: number;
  width: number;
  title: string;
  note: string;
  dashed?: boolean;
}

function NodeBox({ x, y, width, title, note, dashed = false }: BoxProps) {
  return (
    <g>
      <title>{`${title}: ${note}`}</title>
      <rect x={x} y={y - 17} width={width} height="34" rx="3" className={dashed ? 'pnode dashed' : 'pnode'} />
      <text className="pn" x={x + 8} y={y - 3}>
        {shorten(title, width)}
      </text>
      <text className="ps" x={x + 8} y={y + 11}>
        {shorten(note, width)}
      </text>
    </g>
  );
}

interface TrunkNodeProps {
  item: Placed;
  y: number;
  compact: boolean;
  gateway: string | null;
}

function TrunkNode({ item, y, compact, gateway }: TrunkNodeProps) {
  const { node, width } = item;
  const x = PAD + item.x;
  const hop = node.hops.length > 1 ? `${node.hops[0]}–${node.hops.at(-1)}` : String(node.hops[0]);
  const isGateway = node.address !== null && (node.address === gateway || node.hops[0] === 1);
  const title = isGateway ? 'Gateway' : node.segment === 'isp-edge' ? 'ISP edge' : `Hop ${hop}`;
  const note = node.kind === 'masked' ? 'masked' : (node.address ?? 'no reply');
  if (node.kind === 'silent' || compact) {
    return (
      <g>
        <title>{`${title}: ${note}`}</title>
        <circle
          cx={x + width / 2}
          cy={y}
          r={width / 2}
          className={node.kind === 'answered' ? 'pnode' : `pnode ${node.kind === 'silent' ? 'dotted' : 'dashed'}`}
        />
        <text className="ps" x={x + width / 2} y={y + 4} textAnchor="middle">
          {hop}
        </text>
        {node.kind === 'silent' && !compact ? (
          <text className="ps" x={x + width / 2} y={y + 30} textAnchor="middle">
            no reply
          </text>
        ) : null}
      </g>
    );
  }
  return <NodeBox x={x} y={y} width={width} title={title} note={note} dashed={node.kind === 'masked'} />;
}

interface BranchProps {
  branch: Branch;
  from: number;
  x: number;
  y: number;
  at: number;
}

function BranchView({ branch, from, x, y, at }: BranchProps) {
  const half = (from + x) / 2;
  const note = branch.reached
    ? [
        branch.rttMs === null ? '' : formatMs(branch.rttMs),
        branch.lossRatio === null ? '' : `${formatPercent(branch.lossRatio)} more`,
      ]
        .filter(Boolean)
        .join(', ')
    : 'not reached';
  return (
    <g>
      <path
        d={`M${from} ${y}C${half} ${y} ${half} ${at} ${x} ${at}`}
        fill="none"
        stroke="var(--line-strong)"
        strokeWidth={edgeWidth(branch.lossRatio)}
        strokeDasharray={branch.reached ? undefined : '3 3'}
      />
      <NodeBox x={x} y={at} width={BRANCH_WIDTH} title={shortTarget(branch.target)} note={note} dashed={!branch.reached} />
    </g>
  );
}
