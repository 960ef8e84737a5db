import type { JsonObject } from "#core/json.ts";
import type { PlatformRequestInit } from "./contract.ts";

/** Form fields or query parameters. Undefined ones are not sent. */
export type RequestFields = Readonly<Record<string, string | number | boolean | undefined>>;

function encodeFields(fields: RequestFields): URLSearchParams {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) {
      encoded.set(name, String(value));
    }
  }
  return encoded;
}

/** Adds query parameters to a URL. Undefined ones are left out. */
export function withQuery(address: string | URL, fields: RequestFields): URL {
  const url = new URL(address);
  for (const [name, value] of encodeFields(fields)) {
    url.searchParams.set(name, value);
  }
  return url;
}

export function bearerHeader(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** A POST request with a form-encoded body (`application/x-www-form-urlencoded`). */
export function postForm(fields: RequestFields, headers: Record<string, string> = {}): PlatformRequestInit {
  return {
    method: "POST",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: encodeFields(fields).toString(),
  };
}

export function postJson(body: JsonObject, headers: Record<string, string> = {}): PlatformRequestInit {
  return { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}
