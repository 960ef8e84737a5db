import { exports } from "cloudflare:workers";
import { ORIGIN } from "./origin.ts";
import type { ApiCaller } from "./create-caller.ts";

/** The protocol of a request: until 2025-11-25, or from 2026-07-28 on. */
export type Era = "2025" | "2026";

export interface McpRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly era?: Era;
  /** What a client of 2026 says that it can do. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface McpResponse {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any member of a message
  readonly body: any;
}

const META = "io.modelcontextprotocol";

/** The request of one message as a client of the era sends it. */
export function mcpRequest(
  credential: string | null,
  { method, params = {}, era = "2025", capabilities = {}, headers = {} }: McpRequest,
): Request {
  const name = params["name"] ?? params["uri"];
  const envelope = {
    [`${META}/protocolVersion`]: "2026-07-28",
    [`${META}/clientInfo`]: { name: "test", version: "1" },
    [`${META}/clientCapabilities`]: capabilities,
  };
  return new Request(`${ORIGIN}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
      ...(era === "2025"
        ? { "mcp-protocol-version": "2025-11-25" }
        : {
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": method,
            ...(typeof name === "string" && { "mcp-name": name }),
          }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: era === "2025" ? params : { ...params, _meta: envelope },
    }),
  });
}

/** The message of an answer, which may come as one event of a stream. */
export async function readMcpResponse(response: Response): Promise<McpResponse> {
  const text = await response.text();
  const message = response.headers.get("content-type")?.startsWith("text/event-stream")
    ? text
        .split("\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => line.slice("data: ".length))
        .at(-1)
    : text;
  return {
    status: response.status,
    headers: response.headers,
    body: message === undefined || message === "" ? null : JSON.parse(message),
  };
}

// The service loads its MCP server with the first request. The test runner's own import() shares one promise between
// requests that arrive together, which this runtime forbids, so that one request comes before all others.
await exports.default.fetch(new Request(`${ORIGIN}/mcp`, { method: "OPTIONS" }));

/** Sends one message to the whole service. */
export async function sendMcp(caller: Pick<ApiCaller, "key"> | null, request: McpRequest): Promise<McpResponse> {
  return readMcpResponse(await exports.default.fetch(mcpRequest(caller && caller.key, request)));
}

export interface ToolResult {
  /** All that some hosts show to the model. */
  readonly text: string;
  readonly isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any member of an answer
  readonly data: any;
  /** The body that the API would have answered with. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly error: any;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly result: any;
}

/** Calls a tool, which must answer with a result. */
export async function callTool(
  caller: Pick<ApiCaller, "key">,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options: Pick<McpRequest, "era" | "capabilities"> & { readonly retryWith?: Readonly<Record<string, unknown>> } = {},
): Promise<ToolResult> {
  const { retryWith, ...request } = options;
  const { status, body } = await sendMcp(caller, {
    method: "tools/call",
    params: { name, arguments: args, ...(retryWith && { inputResponses: retryWith }) },
    ...request,
  });
  if (status !== 200 || body.result === undefined) {
    throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`);
  }
  const { result } = body;
  return {
    text: result.content?.[0]?.text ?? "",
    isError: result.isError === true,
    data: result.structuredContent,
    error: result._meta?.["almanac/error"],
    result,
  };
}
