import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** How every platform answers: as it knows the app, as it does not, with words that nobody knows, or not at all. */
export type Mood = "good" | "bad" | "unknown" | "unreachable";

const GRAPH_GOOD = { access_token: "1234567890|token-of-the-app-itself", token_type: "bearer" };
const graph = (code: number, message: string) => ({ error: { code, message, type: "OAuthException" } });

/** By host: what a platform was seen to say. The refusal of TikTok comes with 200. */
const ANSWERS: Readonly<Record<string, Readonly<Record<"good" | "bad", readonly [status: number, body: object]>>>> = {
  "api.x.com": {
    good: [400, { error: "invalid_request", error_description: "Value passed for the token was invalid." }],
    bad: [401, { error: "unauthorized_client", error_description: "Missing valid authorization header" }],
  },
  "open.tiktokapis.com": {
    good: [200, { access_token: "clt.token-of-the-app-itself", expires_in: 7200, token_type: "Bearer" }],
    bad: [200, { error: "invalid_client", error_description: "Client key or secret is incorrect.", log_id: "1" }],
  },
  "oauth2.googleapis.com": {
    good: [400, { error: "invalid_grant", error_description: "Bad Request" }],
    bad: [401, { error: "invalid_client", error_description: "The OAuth client was not found." }],
  },
  "www.linkedin.com": {
    good: [400, { error: "invalid_request", error_description: "The provided refresh token is invalid" }],
    bad: [401, { error: "invalid_client", error_description: "Client authentication failed" }],
  },
  "graph.facebook.com": {
    good: [200, GRAPH_GOOD],
    bad: [400, graph(1, "Error validating client secret.")],
  },
  "graph.threads.net": {
    good: [200, GRAPH_GOOD],
    bad: [400, graph(101, "Error validating application. Cannot get application info due to a system error.")],
  },
  "api.pinterest.com": {
    good: [401, { code: 283, message: "The authorization grant is invalid" }],
    bad: [401, { code: 2, message: "Authentication failed." }],
  },
  "api.instagram.com": {
    good: [400, { error_type: "OAuthException", code: 400, error_message: "Invalid authorization code" }],
    bad: [400, { error_type: "OAuthException", code: 400, error_message: "Invalid platform app" }],
  },
};

/** Every server of the world but Cloudflare's, in this process. */
export class OtherServers {
  mood: Mood = "good";

  answer(request: IncomingMessage, response: ServerResponse): void {
    void this.#answer(request, response);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    if (this.mood === "unreachable") {
      response.destroy();
      return;
    }
    const known = ANSWERS[hostOf(request)];
    // Whatever was sent comes back, as some servers do it: nothing of that may be printed.
    const echo = `${sent} ${decodeURIComponent(sent.replaceAll("+", " "))} ${request.headers.authorization ?? ""}`;
    const strange = { error: "teapot", error_description: echo, error_message: echo, message: echo };
    const [status, body] = this.mood === "unknown" ? [418, strange] : (known?.[this.mood] ?? [404, {}]);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }
}

/** The host that the service called: the runtime passes its address on. */
const hostOf = ({ url = "", headers }: IncomingMessage): string =>
  URL.canParse(url) ? new URL(url).host : (headers.host ?? "");
