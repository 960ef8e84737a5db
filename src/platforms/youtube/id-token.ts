import { fromBase64Url } from "#core/encoding.ts";
import { IdTokenClaims, IdTokenResponse } from "./answers.ts";

/**
 * Google's id of the user, from the ID token of a token response; null when there is none for this app. Its signature need
 * not be checked, because it comes from the token endpoint over TLS (OpenID Connect Core 1.0, section 3.1.3.7, point 6):
 * https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
export function readSubject(tokenResponse: unknown, clientId: string): string | null {
  const response = IdTokenResponse.safeParse(tokenResponse).data;
  const claims = IdTokenClaims.safeParse(decodePayload(response?.id_token ?? "")).data;
  return claims?.aud === clientId ? claims.sub : null;
}

function decodePayload(jwt: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64Url(jwt.split(".")[1] ?? "")));
  } catch {
    return null;
  }
}
