/** The error codes of RFC 6749, RFC 7591, RFC 8707 and OpenID Connect that this server uses. */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "invalid_scope"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unsupported_response_type"
  | "request_not_supported"
  | "access_denied";

/** Thrown for an expected error of the token, revocation or registration endpoint. */
export class OAuthRefusal extends Error {
  override readonly name = "OAuthRefusal";
  readonly code: OAuthErrorCode;
  readonly description: string;
  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
    this.description = description;
  }
}

export function refuseOAuth(code: OAuthErrorCode, description: string): never {
  throw new OAuthRefusal(code, description);
}
