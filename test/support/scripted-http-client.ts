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
      readonly text?: string;
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
        return Promise.resolve(new Response(null, { status: response }));
      }
      const body = response.text ?? (response.json === undefined ? null : JSON.stringify(response.json));
      return Promise.resolve(new Response(body, { status: response.status ?? 200, headers: response.headers ?? {} }));
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
