import type { Coverage } from '@svc/contracts/judged/fault';
import type { Layer } from '@svc/contracts/verdict';
import type { LayerState } from './layers.ts';

/**
 * What was measured of what this device has: a cable has no Wi-Fi. A target that nobody chose is missing: without it nobody can say that
 * all is well.
 */
export function coverageOf(layers: readonly LayerState[]): Coverage {
  const isNeeded = ({ unavailable }: LayerState): boolean => unavailable !== 'wired';
  const needed: Layer[] = layers.filter(isNeeded).map(({ layer }) => layer);
  const toCome = layers.filter(({ unavailable }) => unavailable === 'measuring').map(({ layer }) => layer);
  return {
    needed,
    measured: layers.filter(({ score, layer }) => score !== null && needed.includes(layer)).map(({ layer }) => layer),
    ...(toCome.length > 0 ? { measuring: toCome } : {}),
  };
}
