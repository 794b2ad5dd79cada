/** The score of a layer exactly at its threshold; below it the layer is impaired, 100 is as good as it gets. */
export const SCORE_AT_THRESHOLD = 50;

/** Three points of a straight-line scale: where the score is 100, 50 (the threshold) and 0, in the metric's unit. */
export interface Scale {
  best: number;
  threshold: number;
  worst: number;
}

/** 0 to 100, high is good, linear between the scale's points; works for metrics that are better high and better low. */
export function scoreOn(scale: Scale, value: number): number {
  const good = (value - scale.threshold) / (scale.best - scale.threshold);
  if (good >= 0) return Math.round(SCORE_AT_THRESHOLD + SCORE_AT_THRESHOLD * Math.min(1, good));
  const bad = (value - scale.threshold) / (scale.worst - scale.threshold);
  return Math.round(SCORE_AT_THRESHOLD * (1 - Math.min(1, bad)));
}

/** Better low: full score at nothing, none at four thresholds. */
export const scoreLow = (threshold: number, value: number): number =>
  scoreOn({ best: 0, threshold, worst: threshold * 4 }, value);

/** Better high: full score at `span` above the threshold, none at `span` below it. */
export const scoreHigh = (threshold: number, span: number): ((value: number) => number) => {
  const scale = { best: threshold + span, threshold, worst: threshold - span };
  return (value) => scoreOn(scale, value);
};
