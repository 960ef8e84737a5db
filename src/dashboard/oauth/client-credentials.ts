import { type ClientCredentials, OAuthRefusal } from "#auth/oauth/index.ts";

const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;

/** RFC 6749 2.3.1: id and secret are form-encoded before they are joined with a colon. */
function decodePart(part: string): string {
  return decodeURIComponent(part.replaceAll("+", " "));
}

function decodeBasic(header: string): ClientCredentials {
  const encoded = BASIC.exec(header)?.[1];
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
      Uint8Array.from(atob(encoded ?? "!"), (character) => character.charCodeAt(0)),
    );
    const colon = text.indexOf(":");
    if (colon > 0) {
      return { id: decodePart(text.slice(0, colon)), secret: decodePart(text.slice(colon + 1)) };
    }
  } catch {
    // Not base64, not UTF-8 or not form-encoded: the same error as for a wrong secret.
  }
  throw new OAuthRefusal("invalid_client", "the Authorization header is not valid Basic credentials");
}

/** The client's credentials from the Basic header, from the body, or just its id; two methods at once are refused. */
export function readClientCredentials(
  authorization: string | undefined,
  values: Readonly<Record<string, string | undefined>>,
): ClientCredentials {
  const { client_id: id, client_secret: secret } = values;
  if (authorization !== undefined) {
    if (secret !== undefined) {
      throw new OAuthRefusal("invalid_request", "client credentials were sent in the header and in the body");
    }
    const basic = decodeBasic(authorization);
    if (id !== undefined && id !== basic.id) {
      throw new OAuthRefusal("invalid_request", "the header and the body contain different client ids");
    }
    // Some public clients send Basic with an empty secret.
    return { id: basic.id, secret: basic.secret === "" ? null : basic.secret };
  }
  if (id === undefined) {
    throw new OAuthRefusal("invalid_client", "client_id is missing");
  }
  return { id, secret: secret ?? null };
}
