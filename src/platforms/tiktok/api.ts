import type { JsonObject } from "#core/json.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { ErrorBody } from "./answers.ts";
import { API_ORIGIN } from "./hosts.ts";

/** Calls an endpoint of TikTok's API. Some endpoints must be called without a body. */
export async function callApi(
  client: PlatformClient,
  path: string,
  token: string,
  body?: JsonObject,
  timing: Pick<PlatformRequestInit, "timeoutMs"> = {},
): Promise<PlatformResponse> {
  const headers = bearerHeader(token);
  return await callPlatform(client, API_ORIGIN + path, {
    ...(body === undefined ? { method: "POST", headers } : postJson(body, headers)),
    ...timing,
  });
}

export function errorCode(response: PlatformResponse): string | null {
  return parseBody(ErrorBody, response)?.error.code ?? null;
}

/** Whether a call succeeded. TikTok sends some refusals with status 200, so the code in the body decides. */
export function isSuccess(response: PlatformResponse): boolean {
  const code = errorCode(response);
  return code === null ? isOk(response) : code === "ok";
}
