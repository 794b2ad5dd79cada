import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';

const HEARTBEAT_MS = 1000;
const RETRY_MAX_MS = 5000;

type OnNotify = (payload: string) => void;

const listenTo = (channel: string): string => `LISTEN ${pg.escapeIdentifier(channel)}`;

/**
 * One connection for all LISTENs of this process, asked every second whether it lives. After a loss it comes back by itself and
 * every listener gets an empty payload, since notifications sent meanwhile are gone.
 */
export class NotificationListener {
  readonly #url: string;
  readonly #log: FastifyBaseLogger;
  readonly #channels = new Map<string, Set<OnNotify>>();
  readonly #heartbeat: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #connecting: Promise<pg.Client> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(url: string, log: FastifyBaseLogger) {
    this.#url = url;
    this.#log = log;
    this.#heartbeat = setInterval(() => this.#checkAlive(), HEARTBEAT_MS).unref();
  }

  /** Resolves when the database has taken the LISTEN; the returned function ends it. */
  async listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>> {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(onNotify));
    await (await this.#connect()).query(listenTo(channel));
    return async () => {
      listeners.delete(onNotify);
      if (listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      await this.#client?.query(`UN${listenTo(channel)}`).catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    this.#channels.clear();
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return await this.#connecting;
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 5000,
      query_timeout: 5000,
      application_name: 'svc listen',
      keepAlive: true,
    });
    client.on('error', (error) => this.#drop(client, error));
    client.on('end', () => this.#drop(client, new Error('connection ended')));
    client.on('notification', ({ channel, payload }) => this.#deliver(channel, payload ?? ''));
    await client.connect();
    for (const channel of this.#channels.keys()) await client.query(listenTo(channel));
    this.#client = client;
    return client;
  }

  #checkAlive(): void {
    const client = this.#client;
    client?.query('SELECT 1').catch((error) => this.#drop(client, error));
  }

  #deliver(channel: string, payload: string): void {
    for (const onNotify of this.#channels.get(channel) ?? []) {
      try {
        onNotify(payload);
      } catch (error) {
        this.#log.error({ err: error, channel }, 'a listener of database notifications failed');
      }
    }
  }

  #drop(lost: pg.Client, error: unknown): void {
    if (this.#client !== lost) return;
    this.#client = undefined;
    lost.end().catch(() => {});
    if (this.#closed) return;
    this.#log.warn({ err: error }, 'the connection for database notifications was lost; trying again');
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#closed) return;
    this.#failures += 1;
    const pauseMs = Math.min(RETRY_MAX_MS, 100 * 2 ** Math.min(this.#failures, 6));
    this.#retry = setTimeout(() => void this.#reconnect(), pauseMs).unref();
  }

  async #reconnect(): Promise<void> {
    try {
      await this.#connect();
      this.#failures = 0;
      for (const channel of this.#channels.keys()) this.#deliver(channel, '');
    } catch (error) {
      this.#log.debug({ err: error }, 'no connection for database notifications yet');
      this.#retryLater();
    }
  }
}
