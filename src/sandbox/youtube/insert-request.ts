import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { insufficientScopes, missingParameter } from "./error-responses.ts";
import { hasAnyScope } from "./videos.ts";

/** The snippet in the body of an insert, empty if the body has none; or the error response. The call must name `snippet` as its part. */
export async function readSnippet(
  request: Request,
  url: URL,
  token: Token,
  scopes: readonly string[],
): Promise<JsonObject | Response> {
  if (!hasAnyScope(token, scopes)) {
    return insufficientScopes();
  }
  if (url.searchParams.get("part") !== "snippet") {
    return missingParameter("part");
  }
  const body = await request.json<JsonValue>().catch(() => null);
  return objectMember(isJsonObject(body) ? body : {}, "snippet");
}

export function objectMember(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isJsonObject(member) ? member : {};
}
