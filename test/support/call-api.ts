import { exports } from "cloudflare:workers";
import { ORIGIN } from "./origin.ts";
import { assertMatchesDocument } from "./openapi-conformance.ts";
import type { ApiCaller } from "./api-caller.ts";

export interface ApiRequest {
  readonly method: string;
  /** Below `/v1`, with its query. */
  readonly path: string;
  /** Sent as JSON; a string is sent as it stands. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely; their shape is proved against the document
  readonly body: any;
}

/** A call to the whole service. Whatever it answers must be what the OpenAPI document promises. */
export async function callApi(
  caller: Pick<ApiCaller, "key"> | null,
  { method, path, body, headers = {} }: ApiRequest,
): Promise<ApiResponse> {
  const request = new Request(`${ORIGIN}/v1${path}`, {
    method,
    headers: {
      ...(caller && { authorization: `Bearer ${caller.key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const response = await exports.default.fetch(request);
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
  await assertMatchesDocument(method, path, answer);
  return answer;
}
