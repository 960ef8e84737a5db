import type { HttpErrorCode, RefusalCode } from "#core/codes.ts";

/**
 * Error codes of JSON-RPC: https://www.jsonrpc.org/specification#error_object. -32000 is the first code that servers
 * may define.
 */
const RPC_CODE = { parse: -32_700, request: -32_600, internal: -32_603, server: -32_000 } as const;

/** Thrown to refuse a request before any protocol message is handled. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly code: HttpErrorCode | RefusalCode;
  readonly kind: keyof typeof RPC_CODE;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: HttpErrorCode | RefusalCode,
    message: string,
    {
      kind = "server",
      headers = {},
    }: { kind?: keyof typeof RPC_CODE; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.kind = kind;
    this.headers = headers;
  }
}

/** Answers with a JSON-RPC error. Its data are the body that the API would have returned. */
export function toResponse({ status, code, kind, headers, message }: HttpError, requestId: string): Response {
  const data = { error: message, code, request_id: requestId };
  return Response.json(
    { jsonrpc: "2.0", error: { code: RPC_CODE[kind], message, data }, id: null },
    { status, headers },
  );
}
