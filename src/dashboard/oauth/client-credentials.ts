import { type ClientCredentials, OAuthRefusal } from "#auth/oauth/index.ts";

const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;

/** Decodes a client id or secret. RFC 6749 2.3.1 form-encodes both before it joins them with a colon. */
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
    // A header that is not base64, UTF-8 or form-encoded gets the same error as a wrong secret.
  }
  throw new OAuthRefusal("invalid_client", "the Authorization header is not valid Basic credentials");
}

/** Reads a client's credentials from the Basic header or the body, or its id alone. Two methods at once are refused. */
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
    // Some public clients send HTTP Basic with an empty secret, which counts as none.
    return { id: basic.id, secret: basic.secret === "" ? null : basic.secret };
  }
  if (id === undefined) {
    throw new OAuthRefusal("invalid_client", "client_id is missing");
  }
  return { id, secret: secret ?? null };
}
