export { authenticateClient, type ClientCredentials } from "./authenticate-client.ts";
export {
  type AuthorizationRequest,
  namedClient,
  readParameters,
  type ReadRequest,
  readRequest,
} from "./authorization-request.ts";
export { listApps, revokeApp } from "./connected-apps.ts";
export { approve, denial } from "./decide.ts";
export { exchangeCode } from "./exchange-code.ts";
export { findClient, mayFetch } from "./find-client.ts";
export type { IssuedTokens } from "./issue-tokens.ts";
export { resourceMetadata, serverMetadata } from "./metadata.ts";
export { isLoopback } from "./redirect-uri.ts";
export { OAuthRefusal } from "./refusal.ts";
export { refreshTokens } from "./refresh-tokens.ts";
export { registerClient } from "./register-client.ts";
export { revokeToken } from "./revoke-token.ts";
export type { ConnectedApp } from "./store.ts";
