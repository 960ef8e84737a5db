import type { PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";

/** A recorded request, as the platform would have seen it. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: BodyInit | null;
}

/** What the scripted platform does with one call; `cut` loses the connection, before or after makes no difference to the caller. */
export type ScriptedResponse =
  | number
  | "connection_lost"
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | ((sent: SentRequest) => ScriptedResponse);

export interface ScriptedClient extends PlatformClient {
  readonly requests: readonly SentRequest[];
}

/** A client that gives these answers in order, the last one for ever. */
export function scriptedClient(...script: readonly ScriptedResponse[]): ScriptedClient {
  const sent: SentRequest[] = [];
  return {
    requests: sent,
    fetch(url, init: PlatformRequestInit = {}) {
      const request: SentRequest = {
        method: init.method ?? "GET",
        url: new URL(url),
        headers: new Headers(init.headers),
        body: init.body ?? null,
      };
      sent.push(request);
      let answer = script[Math.min(sent.length, script.length) - 1] ?? 200;
      while (typeof answer === "function") {
        answer = answer(request);
      }
      if (answer === "connection_lost") {
        return Promise.reject(new TypeError("Network connection lost."));
      }
      if (typeof answer === "number") {
        return Promise.resolve(new Response(null, { status: answer }));
      }
      const body = answer.text ?? (answer.json === undefined ? null : JSON.stringify(answer.json));
      return Promise.resolve(new Response(body, { status: answer.status ?? 200, headers: answer.headers ?? {} }));
    },
  };
}

/** The fields of a form or JSON body that was sent. */
export function parseRequestBody(sent: SentRequest | undefined): Record<string, unknown> {
  const body = sent?.body;
  if (body instanceof FormData) {
    return Object.fromEntries(body.entries());
  }
  if (typeof body !== "string") {
    return {};
  }
  return sent?.headers.get("content-type") === "application/json"
    ? (JSON.parse(body) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(body));
}
