import type { PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";

/** A request as the adapter sent it. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: BodyInit | null;
}

/** The result of one call: a status, a response, a lost connection, or a function of the request. */
export type ScriptedResponse =
  | number
  | "connection_lost"
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      /** Null: an answer that is larger than a client reads. */
      readonly text?: string | null;
    }
  | ((request: SentRequest) => ScriptedResponse);

export interface ScriptedClient extends PlatformClient {
  readonly requests: readonly SentRequest[];
}

/** A client that returns these responses in order and then repeats the last one. */
export function scriptedClient(...script: readonly ScriptedResponse[]): ScriptedClient {
  const requests: SentRequest[] = [];
  return {
    requests,
    fetch(url, init: PlatformRequestInit = {}) {
      const request: SentRequest = {
        method: init.method ?? "GET",
        url: new URL(url),
        headers: new Headers(init.headers),
        body: init.body ?? null,
      };
      requests.push(request);
      let response = script[Math.min(requests.length, script.length) - 1] ?? 200;
      while (typeof response === "function") {
        response = response(request);
      }
      if (response === "connection_lost") {
        return Promise.reject(new TypeError("Network connection lost."));
      }
      if (typeof response === "number") {
        return Promise.resolve({ status: response, headers: new Headers(), text: "" });
      }
      const { status = 200, headers = {}, json, text } = response;
      return Promise.resolve({
        status,
        headers: new Headers(headers),
        text: text ?? (text === null ? null : json === undefined ? "" : JSON.stringify(json)),
      });
    },
  };
}

/** The fields of a form or JSON body of a request. */
export function parseRequestBody(request: SentRequest | undefined): Record<string, unknown> {
  const body = request?.body;
  if (body instanceof FormData) {
    return Object.fromEntries(body.entries());
  }
  if (typeof body !== "string") {
    return {};
  }
  return request?.headers.get("content-type") === "application/json"
    ? (JSON.parse(body) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(body));
}
