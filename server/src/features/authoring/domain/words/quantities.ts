/** Numbers, units and rhythms as words of all five languages; folded where they are looked up. A star takes what begins so. */
export const NUMBER_WORDS: readonly (readonly [value: number, words: string])[] = [
  [1, 'one|ein|eine|einer|einem|einen|un|une|una|uno|een|één'],
  [1.5, 'anderthalb|eineinhalb|anderhalf|anderhalve|one and a half'],
  [2, 'two|zwei|zwo|deux|dos|twee'],
  [3, 'three|drei|trois|tres|drie'],
  [4, 'four|vier|quatre|cuatro'],
  [5, 'five|fünf|cinq|cinco|vijf'],
  [6, 'six|sechs|seis|zes'],
  [7, 'seven|sieben|sept|siete|zeven'],
  [8, 'eight|acht|huit|ocho'],
  [9, 'nine|neun|neuf|nueve|negen'],
  [10, 'ten|zehn|dix|diez|tien'],
  [12, 'twelve|zwölf|douze|doce|twaalf'],
  [15, 'fifteen|fünfzehn|quinze|quince|vijftien'],
  [20, 'twenty|zwanzig|vingt|veinte|twintig'],
  [25, 'twenty five|fünfundzwanzig|vingt cinq|veinticinco|vijfentwintig'],
  [30, 'thirty|dreißig|trente|treinta|dertig'],
  [40, 'forty|vierzig|quarante|cuarenta|veertig'],
  [45, 'forty five|fünfundvierzig|quarante cinq|cuarenta y cinco|vijfenveertig'],
  [50, 'fifty|fünfzig|cinquante|cincuenta|vijftig'],
  [60, 'sixty|sechzig|soixante|sesenta|zestig'],
  [90, 'ninety|neunzig|quatre vingt dix|noventa|negentig'],
  [100, 'hundred|hundert|cent|cien|honderd'],
  [200, 'two hundred|zweihundert|deux cents|doscientos|tweehonderd'],
  [300, 'three hundred|dreihundert|trois cents|trescientos|driehonderd'],
  [500, 'five hundred|fünfhundert|cinq cents|quinientos|vijfhonderd'],
  [800, 'eight hundred|achthundert|huit cents|ochocientos|achthonderd'],
  [1000, 'thousand|tausend|mille|mil|duizend'],
];

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Milliseconds of one. */
export const UNIT_WORDS: readonly (readonly [ms: number, words: string])[] = [
  [
    1,
    'ms|msec|msecs|millisec|millis|millisecond|milliseconds|millisekunde|millisekunden|milliseconde|millisecondes|milliseconden|milisegundo|milisegundos',
  ],
  [SECOND, 's|sec|secs|second|seconds|sek|sekunde|sekunden|seconde|secondes|segundo|segundos|seg|segs|seconden'],
  [MINUTE, 'm|min|mins|mn|minute|minutes|minuten|minuto|minutos|minuut'],
  [15 * MINUTE, 'kwartier|viertelstunde|viertelstunden|kwartieren'],
  [30 * MINUTE, 'halbstunde'],
  [HOUR, 'h|hr|hrs|hour|hours|std|stunde|stunden|heure|heures|hora|horas|uur|uren'],
  [DAY, 'd|day|days|tag|tage|tagen|jour|jours|día|días|dag|dagen|journée'],
  [7 * DAY, 'week|weeks|woche|wochen|semaine|semaines|semana|semanas|weken'],
  [30 * DAY, 'month|months|monat|monate|monaten|mois|mes|meses|maand|maanden'],
  [365 * DAY, 'year|years|jahr|jahre|jahren|an|ans|année|année|año|años|jaar'],
];

/** Words that are a whole interval, milliseconds. */
export const RHYTHM_WORDS: readonly (readonly [ms: number, words: string])[] = [
  [MINUTE, 'minutely|minütlich'],
  [15 * MINUTE, 'viertelstündlich|quarter hourly'],
  [30 * MINUTE, 'halbstündlich|half hourly'],
  [HOUR, 'hourly|stündlich'],
  [DAY, 'daily|täglich|quotidien|quotidiennement|diario|diariamente|dagelijks'],
  [7 * DAY, 'weekly|wöchentlich|hebdomadaire|semanal|semanalmente|wekelijks'],
  [30 * DAY, 'monthly|monatlich|mensuel|mensual|maandelijks'],
];

export const PERCENT_WORDS = '%|percent|per cent|prozent|pourcent|pour cent|por ciento|procent';
