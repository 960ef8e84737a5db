export { authenticateClient, type ClientCredentials } from "./authenticate-client.ts";
export {
  type AuthorizationRequest,
  requestedClientId,
  parseParameters,
  type RequestValidation,
  validateRequest,
} from "./authorization-request.ts";
export { listApps, revokeApp, setAppConfirms } from "./connected-apps.ts";
export { approveRequest, type ConsentChoice, denyRequest, lastChoice, mayRedirectError } from "./decide-request.ts";
export { exchangeCode } from "./exchange-code.ts";
export { resolveClient, requiresFetch } from "./resolve-client.ts";
export type { IssuedTokens } from "./issue-tokens.ts";
export { resourceMetadata, serverMetadata } from "./metadata.ts";
export { isLoopback } from "./redirect-uri.ts";
export { OAuthRefusal } from "./oauth-refusal.ts";
export { refreshTokens } from "./refresh-tokens.ts";
export { registerClient } from "./register-client.ts";
export { revokeToken } from "./revoke-token.ts";
export type { ConnectedApp } from "./store.ts";
