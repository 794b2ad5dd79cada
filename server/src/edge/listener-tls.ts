import { experimental, type ServerCredentials } from '@grpc/grpc-js';

export interface ListenerTls {
  /** PEM. */
  key: string | Buffer;
  /** PEM: the leaf, then what signs it. */
  cert: string | Buffer;
}

type Listener<Update> = (update: Update) => void;

/** Mutual TLS whose own certificate can be replaced; streams that are open keep the one they began with. */
export function createRenewableCredentials(tls: ListenerTls & { clientRoots: string | Buffer }) {
  const toUpdate = ({ key, cert }: ListenerTls) => ({ certificate: Buffer.from(cert), privateKey: Buffer.from(key) });
  const ca = { caCertificate: Buffer.from(tls.clientRoots) };
  let identity = toUpdate(tls);
  const listeners = new Set<Listener<experimental.IdentityCertificateUpdate | null>>();
  const provider: experimental.CertificateProvider = {
    // The library calls these before it watches what they bring, so the first update comes a tick later.
    addCaCertificateListener: (listener) => process.nextTick(listener, ca),
    removeCaCertificateListener: () => {},
    addIdentityCertificateListener(listener) {
      listeners.add(listener);
      process.nextTick(listener, identity);
    },
    removeIdentityCertificateListener: (listener) => void listeners.delete(listener),
  };
  return {
    credentials: experimental.createCertificateProviderServerCredentials(provider, provider, true) as ServerCredentials,
    setTls(next: ListenerTls): void {
      identity = toUpdate(next);
      for (const listener of listeners) listener(identity);
    },
  };
}
