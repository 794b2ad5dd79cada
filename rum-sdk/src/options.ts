/** What the attributes of the script say: data-key, data-endpoint, data-spa. */
export interface RumOptions {
  /** The app's key: an identifier, not a secret. */
  key: string;
  /** Where beacons go, such as https://observability.example/ingest/rum. */
  endpoint: string;
  /** Given at all: each change of the route is a view of its own. */
  spa?: '' | true;
}

export interface Rum {
  /** The visitor agrees. Until then there is no observer, listener, storage, cookie, timer or request. */
  consent(): void;
  /** The visitor does not agree any more: observers and listeners go, what was gathered is dropped, nothing is sent. */
  withdraw(): void;
}
