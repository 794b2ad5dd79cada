// Retries inside the suite hide faults: retries.json names each file that has one, why, and until when.
const RETRY = /\bretr(?:y|ies)\s*:\s*[1-9]|--retr(?:y|ies)\b/;
const TEST_OR_SETTING = /\.(test|spec|contract|attack|config)\.[a-z]+$|^scripts\/test(\/|\.js)|^\.ci\/|(^|\/)package\.json$/;
/** The rule itself and its tests. */
const OWN = /^scripts\/test\/(check-retries|retries|kept\.test)/;

/** Faults of the list and of the files: `read(file)` gives a file's text, or undefined where there is none. `today` is YYYY-MM-DD. */
export function findRetryFaults({ entries, files, read, today }) {
  const named = new Set(entries.map(({ file }) => file));
  const retries = files.filter((file) => TEST_OR_SETTING.test(file) && !OWN.test(file) && RETRY.test(read(file) ?? ''));
  return [
    ...entries
      .filter((one) => !one.reason || !/^\d{4}-\d\d-\d\d$/.test(one.expires))
      .map(({ file }) => `${file}: needs a reason and an expiry date`),
    ...entries
      .filter(({ expires }) => expires < today)
      .map(({ file, expires }) => `${file}: its retry expired on ${expires}; mend the test`),
    ...entries.filter(({ file }) => !retries.includes(file)).map(({ file }) => `${file}: is named and retries nothing`),
    ...retries
      .filter((file) => !named.has(file))
      .map((file) => `${file}: retries, and scripts/test/retries.json does not name it`),
  ];
}
