import type { Coverage } from '@svc/contracts/judged/fault';
import type { Layer } from '@svc/contracts/verdict';
import type { LayerState } from './layers.ts';
import type { Readings } from './readings.ts';

/**
 * What was measured of what this device has: a cable has no Wi-Fi, and what policy does not ask for is not missed. A target that nobody
 * chose is: without it nobody can say that all is well.
 */
export function coverageOf(layers: readonly LayerState[], { notAsked = [] }: Readings): Coverage {
  const isNeeded = ({ layer, unavailable }: LayerState): boolean => unavailable !== 'wired' && !notAsked.includes(layer);
  const needed: Layer[] = layers.filter(isNeeded).map(({ layer }) => layer);
  return {
    needed,
    measured: layers.filter(({ score, layer }) => score !== null && needed.includes(layer)).map(({ layer }) => layer),
  };
}
