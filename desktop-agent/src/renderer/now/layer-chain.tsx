import type { LayerView, VerdictView } from '@svc/contracts/agent/ipc';
import type { FaultKind } from '@svc/contracts/fault-kinds';
import { blamedBefore } from '@svc/contracts/judged/read-verdict';
import type { CSSProperties } from 'react';
import type { Words } from '../../i18n/words.ts';
import { Icon } from '../ui/icon.tsx';
import { useWords } from '../words-context.ts';

/** The walk ended at the layer at fault: what lies behind it was measured through it, and is not judged. */
const isBehind = (layer: LayerView, verdict: VerdictView): boolean => blamedBefore(verdict.cause, layer.layer) !== null;

/** Nothing gets through, or wrongly: "slow" would be too little. */
const FAILING: readonly (FaultKind | undefined)[] = [
  'gateway_unreachable',
  'captive_portal',
  'certificate',
  'dns_failing',
  'dns_lying',
  'proxy',
  'service_error',
  'service_unreachable',
];

function stateWords(words: Words, layer: LayerView, verdict: VerdictView): string {
  if (layer.score === null) return words.t(`why.${layer.unavailable ?? 'not_supported'}`);
  if (layer.layer === verdict.cause)
    return words.t(FAILING.includes(verdict.fault?.kind) ? 'layers.faultHere' : 'layers.slowHere');
  return isBehind(layer, verdict) ? words.t('layers.behind') : '';
}

function longWords(words: Words, layer: LayerView, verdict: VerdictView): string {
  const name = words.t(`cause.${layer.layer}`);
  if (layer.score === null)
    return words.t('layers.unscored', { name, why: words.t(`whyLong.${layer.unavailable ?? 'not_supported'}`) });
  if (isBehind(layer, verdict)) return words.t('layers.behindLong', { name, cause: words.t(`cause.${verdict.cause}`) });
  const state = stateWords(words, layer, verdict) || words.t('layers.fine');
  return words.t('layers.score', { name, score: Math.round(layer.score), state });
}

function toneOf(layer: LayerView, verdict: VerdictView): string {
  if (layer.score === null) return 'unscored';
  if (layer.layer === verdict.cause) return `blamed c-${layer.layer}`;
  return isBehind(layer, verdict) ? 'held' : 'fine';
}

/** The four layers from the device outward; a score of 100 is best. */
export function LayerChain({ verdict }: { verdict: VerdictView }) {
  const words = useWords();
  return (
    <ol className="layers" aria-label={words.t('layers.title')}>
      {verdict.layers.map((layer) => (
        <li key={layer.layer} className={toneOf(layer, verdict)} title={longWords(words, layer, verdict)}>
          <span className="sr">{longWords(words, layer, verdict)}</span>
          <span className="top" aria-hidden="true">
            <Icon name={layer.layer} />
            <b className="num">{layer.score === null || isBehind(layer, verdict) ? '' : words.number(layer.score)}</b>
          </span>
          <span className="name" aria-hidden="true">
            {words.t(`cause.${layer.layer}`)}
          </span>
          <span className="word" aria-hidden="true">
            {stateWords(words, layer, verdict)}
          </span>
          <i className="meter" style={{ '--w': `${isBehind(layer, verdict) ? 0 : (layer.score ?? 0)}%` } as CSSProperties} />
        </li>
      ))}
    </ol>
  );
}
