/** The list last looked at, so that an incident's page leads back to it and to its neighbours. Lives as long as the tab. */
interface LastIncidents {
  /** The list's own query, with the question mark. */
  query: string;
  ids: readonly string[];
}

let last: LastIncidents = { query: '', ids: [] };

export const rememberIncidents = (list: LastIncidents): void => {
  last = list;
};

export const lastIncidents = (): LastIncidents => last;
