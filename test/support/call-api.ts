import { exports } from "cloudflare:workers";
import { ORIGIN } from "./origin.ts";
import { assertMatchesDocument } from "./openapi-conformance.ts";
import type { ApiCaller } from "./create-caller.ts";

export interface ApiRequest {
  readonly method: string;
  /** The path below `/v1`, with its query. */
  readonly path: string;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any member; the shape is checked against the OpenAPI document
  readonly body: any;
}

/** Calls the whole service and checks the response against the OpenAPI document. */
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
  const apiResponse = {
    status: response.status,
    headers: response.headers,
    body: text === "" ? null : JSON.parse(text),
  };
  await assertMatchesDocument(method, path, apiResponse);
  return apiResponse;
}
