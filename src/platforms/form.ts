import type { JsonObject } from "#core/json.ts";
import type { PlatformRequestInit } from "./contract.ts";

export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

function encode(fields: Fields): URLSearchParams {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) {
      encoded.set(name, String(value));
    }
  }
  return encoded;
}

/** An address with query parameters; undefined ones are left out. */
export function withQuery(address: string | URL, fields: Fields): URL {
  const url = new URL(address);
  for (const [name, value] of encode(fields)) {
    url.searchParams.set(name, value);
  }
  return url;
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** A POST of `application/x-www-form-urlencoded`. */
export function postForm(fields: Fields, headers: Record<string, string> = {}): PlatformRequestInit {
  return {
    method: "POST",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: encode(fields).toString(),
  };
}

export function postJson(body: JsonObject, headers: Record<string, string> = {}): PlatformRequestInit {
  return { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}
