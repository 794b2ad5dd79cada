import { describe, expect, it } from 'vitest';
import { certificateFlaw, failureKindOf, isCertificateCode, isOfThisDevice, type SessionPhase } from './session-failure.ts';

describe('what failed in a session', () => {
  it.each<[SessionPhase, string, string]>([
    ['dns', 'ENOTFOUND', 'name_not_found'],
    ['dns', 'EAI_AGAIN', 'name_unresolved'],
    ['dns', 'ETIMEDOUT', 'name_unresolved'],
    ['connect', 'ECONNREFUSED', 'refused'],
    ['connect', 'ECONNRESET', 'connect_reset'],
    ['connect', 'ETIMEDOUT', 'no_answer'],
    ['connect', 'EHOSTUNREACH', 'unroutable'],
    ['connect', 'EPERM', 'denied'],
    ['connect', 'EADDRNOTAVAIL', 'denied'],
    ['connect', 'EHOSTDOWN', 'no_answer'],
    ['connect', 'EUNKNOWN', 'not_connected'],
    ['tls', 'CERT_HAS_EXPIRED', 'certificate'],
    ['tls', 'ECONNRESET', 'tls_closed'],
    ['tls', 'ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
    ['tls', 'ETIMEDOUT', 'stalled'],
    ['request', 'ECONNRESET', 'http_closed'],
    ['request', 'HPE_INVALID_CONSTANT', 'http_invalid'],
    ['request', 'HTTP_503', 'http_status'],
    ['request', 'ETIMEDOUT', 'stalled'],
    ['body', 'ECONNRESET', 'http_closed'],
    ['body', 'ETIMEDOUT', 'stalled'],
    ['redirect', 'BAD_REDIRECT', 'redirect'],
    ['redirect', 'ETIMEDOUT', 'stalled'],
  ])('is by phase and code: %s %s is %s', (phase, code, kind) => {
    expect(failureKindOf({ phase, code, viaProxy: false })).toBe(kind);
  });

  it.each<[SessionPhase, string, string]>([
    ['dns', 'ENOTFOUND', 'proxy_unreachable'],
    ['connect', 'ECONNREFUSED', 'proxy_unreachable'],
    ['proxy', 'ETIMEDOUT', 'proxy_unreachable'],
    ['proxy', 'PROXY_407', 'proxy_authentication'],
    ['proxy', 'PROXY_503', 'proxy_refused'],
    ['proxy', 'PROXY_UNSUPPORTED', 'proxy_unsupported'],
    ['tls', 'ECONNRESET', 'tls_closed'],
  ])('is the proxy up to its tunnel: %s %s is %s', (phase, code, kind) => {
    expect(failureKindOf({ phase, code, viaProxy: true })).toBe(kind);
  });

  it('is the certificate wherever one was refused', () => {
    expect(failureKindOf({ phase: 'tls', code: 'EUNKNOWN', viaProxy: true, hasCertificateFault: true })).toBe('certificate');
  });
});

describe('a certificate', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'expired'],
    ['CERT_NOT_YET_VALID', 'not_yet_valid'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'authority'],
    ['CERT_UNTRUSTED', 'authority'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'name'],
    ['CERT_REVOKED', 'other'],
    ['EE_KEY_TOO_SMALL', 'other'],
    ['UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'other'],
  ])('is refused as %s because of what is wrong with it: %s', (code, flaw) => {
    expect([isCertificateCode(code), certificateFlaw(code)]).toEqual([true, flaw]);
  });

  it('is not what any other error is about', () => {
    expect(['ECONNRESET', 'ERR_SSL_WRONG_VERSION_NUMBER', 'HTTP_503', ''].map(isCertificateCode)).toEqual(Array(4).fill(false));
  });
});

it('is this device where its own rules or addresses may be the reason', () => {
  expect(['EACCES', 'ENETUNREACH', 'ECONNREFUSED'].map(isOfThisDevice)).toEqual([true, true, false]);
});
