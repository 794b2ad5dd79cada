export {
  type AgentCertificate,
  type AgentLeaf,
  type AgentLeafRequest,
  agentSpiffeId,
  type IdentityKind,
  isIssuedBy,
  issueAgentLeaf,
  readAgentCertificate,
  readCsr,
  signAgentCsr,
  verifyAgentSignature,
} from './agent-certificates.ts';
export { createIntermediate, createRootCa, createServerLeaf, spkiPin } from './certificates.ts';
export {
  constantTimeEqual,
  deriveKey,
  fromBase64Url,
  hmacSha256,
  randomToken,
  sha256,
  sha256Hex,
  toBase64Url,
} from './hash.ts';
export { hashPassword, PASSWORD_MAX_LENGTH, verifyPassword } from './password.ts';
export { createSealer, type Sealer } from './seal.ts';
export { sealToKey } from './seal-to-key.ts';
export { runCryptoSelfTest } from './self-test.ts';
export { isSignedBy, newSigningKey, publicKeyOf, signText } from './signing.ts';
export type { KeyPair } from './x509.ts';
