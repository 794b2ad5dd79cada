/** How long single results and samples are kept, days; afterwards nothing is left but their figures by the hour. */
export const RESULTS_KEPT_DAYS = 30;
/** How long figures by the hour are kept: 13 months. */
export const HOURLY_KEPT_MONTHS = 13;
