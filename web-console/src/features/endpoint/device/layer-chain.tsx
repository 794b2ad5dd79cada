import type { DeviceView, EndpointRow } from '@svc/contracts/endpoint/view';
import type { FaultKind } from '@svc/contracts/fault-kinds';
import type { LayerFact } from '@svc/contracts/judged/read-verdict';
import { type SentencePart, sentenceText } from '@svc/contracts/judged/sentence';
import type { Layer } from '@svc/contracts/verdict';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../../ui/controls/icons.tsx';
import { osWords } from '../../../ui/devices/os-words.ts';
import { NO_VERDICT } from '../../../ui/devices/verdict-states.ts';
import { absenceClause, verdictWord } from '../../../ui/devices/verdict-words.ts';
import { behindClause, behindWords, factsOfDevice, lastFacts, layerFigures } from '../../../ui/judged/facts.ts';
import { faultInSentence, layerOfFault, targetGain } from '../../../ui/judged/health-words.ts';
import { Sentence } from '../../../ui/moments/sentence.tsx';
import { formatMoment } from '../../../ui/words/format.ts';
import { chainSession, serviceWords } from './service-words.ts';

type LayerScore = DeviceView['layers'][number];

const TITLES = { wifi: 'Wi-Fi', local: 'Gateway', isp: 'ISP edge', network: 'Beyond ISP' } as const;
const ICONS: Readonly<Record<LayerScore['layer'], IconName>> = { wifi: 'wifi', local: 'local', isp: 'isp', network: 'network' };

const listed = (parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(', ');

const STATE_WORDS = { impaired: 'impaired', near_limit: 'near its limit', fine: 'fine' } as const;

interface NodeProps {
  kind: 'ok' | 'weak' | 'blame' | 'none';
  icon: IconName;
  title: string;
  score?: number | null;
  words: readonly SentencePart[];
  /** The words in full, where they are short. */
  hint?: string;
  figures: string;
  cause?: string;
}

function Node({ kind, icon, title, score, words, hint, figures, cause }: NodeProps): ReactNode {
  const told = hint ?? sentenceText(words, (at) => formatMoment(at, Date.now()));
  return (
    <li className={cause ? `${kind} by-${cause}` : kind}>
      <div className="lk" aria-hidden="true" />
      <div className="node">
        {kind === 'blame' ? <span className="flag">Slow here</span> : null}
        <div className="nt">
          <Icon name={icon} />
          <b>{title}</b>
          <span className="grow" />
          {score === null || score === undefined ? null : (
            <span className="sc num" title="Score, 0 to 100">
              {Math.round(score)}
            </span>
          )}
        </div>
        {score === null || score === undefined ? (
          <div className="meter" />
        ) : (
          <div className="meter">
            <i style={{ width: `${Math.max(0, Math.min(100, score))}%` }} />
          </div>
        )}
        <p className="w" title={told}>
          <Sentence parts={words} />
        </p>
        <p className="m num" title={figures}>
          {figures}
        </p>
      </div>
    </li>
  );
}

/** Where nothing is measured now, the last words carry their time: "fine at 18:21". */
const timed = (words: string, at: string | undefined): SentencePart[] => (at === undefined ? [words] : [`${words} at `, { at }]);

interface LayerNodeProps {
  fact: LayerFact;
  /** The front of the walk where the scores end, as the server says: also of a device that gives no verdict now. */
  behind: Layer | null;
  since: string | null;
  at: string | undefined;
  /** What is off here though nothing is slow. */
  off: FaultKind | null;
}

/** Why a layer was not measured, and what choosing a target would add where that is all it takes. */
function absenceOf({ layer, unavailable }: LayerFact): { words: string[]; gain: string | null } {
  const words = [unavailable ? absenceClause(unavailable) : 'not measured in this time'];
  return { words, gain: unavailable === 'no_target' ? targetGain(layer) : null };
}

function LayerNode({ fact, behind, since, at, off }: LayerNodeProps) {
  const { layer, state } = fact;
  const named = { icon: ICONS[layer], title: TITLES[layer], figures: layerFigures(fact) };
  if (behind !== null) return <Node kind="none" {...named} words={[behindWords(behind)]} hint={behindClause(behind)} />;
  if (state === 'blamed')
    return (
      <Node
        kind="blame"
        {...named}
        score={fact.score}
        words={['slow', ...(since === null ? [] : [' since ', { at: since }])]}
        cause={layer}
      />
    );
  if (state === 'unmeasured' || state === 'behind') {
    const { words, gain } = absenceOf(fact);
    return <Node kind="none" {...named} words={words} {...(gain === null ? {} : { figures: gain })} />;
  }
  if (off !== null) return <Node kind="weak" {...named} score={fact.score} words={timed(`off: ${faultInSentence(off)}`, at)} />;
  const kind = state === 'impaired' ? 'weak' : 'ok';
  return <Node kind={kind} {...named} score={fact.score} words={timed(STATE_WORDS[state], at)} />;
}

const isSilent = (row: EndpointRow): boolean => (NO_VERDICT as readonly string[]).includes(row.verdict);

/** The layers outward from the device; the first impaired one is blamed, device and service only frame them. */
export function LayerChain({ view }: { view: DeviceView }) {
  const row = view.endpoint;
  const { layers, cause, fault: wrong } = factsOfDevice(view) ?? lastFacts(view);
  const off = cause === 'none' && wrong ? { kind: wrong.kind, layer: layerOfFault(wrong.kind) } : null;
  const session = chainSession(view.sessions);
  const service = session && serviceWords(session);
  // What is not of now carries its time.
  const isTimed = isSilent(row) || !view.window.is_now;
  const past = row.verdict === 'no_contact' ? 'not measured' : 'reporting';
  return (
    <ol className="chain" aria-label="Layers from the device to the service">
      <Node
        kind={isSilent(row) ? 'none' : 'ok'}
        icon="laptop"
        title="Device"
        words={[isSilent(row) && view.window.is_now ? verdictWord(row.verdict, row.paused_until).toLowerCase() : past]}
        figures={listed([
          osWords(row.os, null),
          row.connection === 'unknown' ? undefined : row.connection === 'wifi' ? 'on Wi-Fi' : row.connection,
        ])}
      />
      {layers.map((fact, index) => (
        <LayerNode
          key={fact.layer}
          fact={fact}
          behind={view.layers[index]?.behind ?? null}
          since={row.verdict_since}
          off={off?.layer === fact.layer ? off.kind : null}
          at={isTimed ? (view.layers_at ?? undefined) : undefined}
        />
      ))}
      {session && service ? (
        <Node
          kind={session.success ? 'ok' : 'weak'}
          icon="server"
          title="Service"
          words={timed(service.words, isTimed ? session.measured_at : undefined)}
          figures={service.figures}
        />
      ) : (
        <Node
          kind="none"
          icon="server"
          title="Service"
          words={[view.window.is_now ? 'not measured: no target chosen' : 'not measured in this time']}
          figures=""
        />
      )}
    </ol>
  );
}
