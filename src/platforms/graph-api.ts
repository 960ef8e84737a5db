import { z } from "@hono/zod-openapi";
import { hmacSha256Hex } from "#core/encoding.ts";
import { type PlatformResponse, callPlatform, parseBody, retryAfterSeconds } from "./response.ts";
import type { AppCredentials, Fault, PlatformAnswer, PlatformClient } from "./contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "./fault.ts";
import { bearerHeader, type RequestFields, postForm, withQuery } from "./request-encoding.ts";

/* Requests, responses and errors of Meta's Graph API, which several platforms share. The errors.ts of a platform
   handles its own codes first. */

const GraphErrorBody = z.looseObject({
  error: z.looseObject({
    message: z.string().nullish(),
    code: z.number(),
    error_subcode: z.number().nullish(),
    error_user_msg: z.string().nullish(),
  }),
});

export interface GraphError {
  readonly code: number;
  readonly subcode: number | null;
  readonly message: string;
}

/** The error in a response. Null if the body is not a Graph error. */
export function graphError(response: PlatformResponse): GraphError | null {
  const error = parseBody(GraphErrorBody, response)?.error;
  return error
    ? { code: error.code, subcode: error.error_subcode ?? null, message: error.error_user_msg ?? error.message ?? "" }
    : null;
}

export function graphCode(error: GraphError): string {
  return error.subcode === null ? String(error.code) : `${error.code}/${error.subcode}`;
}

export function graphSource(response: PlatformResponse, error: GraphError | null, retryAfter?: number): FaultSource {
  return {
    httpStatus: response.status,
    platformCode: error ? graphCode(error) : null,
    retryAfterSeconds: retryAfter ?? retryAfterSeconds(response.headers),
  };
}

const Usage = z.record(z.string(), z.array(z.looseObject({ estimated_time_to_regain_access: z.number().nullish() })));

/**
 * The longest wait (s) that the header `x-business-use-case-usage` asks for. It lists minutes per business and use
 * case.
 */
function regainSeconds(headers: Headers): number | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(headers.get("x-business-use-case-usage") ?? "null");
  } catch {
    return undefined;
  }
  const usage = Usage.safeParse(parsed);
  const minutes = usage.success
    ? Object.values(usage.data).flatMap((cases) => cases.map((entry) => entry.estimated_time_to_regain_access ?? 0))
    : [];
  const longest = Math.max(0, ...minutes);
  return longest > 0 ? longest * 60 : undefined;
}

const DAY_SECONDS = 86_400;

function isRateLimit(error: GraphError): boolean {
  return [4, 17, 32, 341, 613].includes(error.code) || (error.code >= 80_000 && error.code <= 80_014);
}

/**
 * The fault of an error code that means the same on every platform with this API ("Handle Errors" in Meta's Graph API
 * guide).
 */
export function graphFault(response: PlatformResponse): Fault {
  const error = graphError(response);
  const source = graphSource(response, error);
  if (error === null) {
    return response.status === 401
      ? reconnect("The platform no longer accepts this login. Connect the account again.", source)
      : faultWithoutGraphError(response, source);
  }
  const { code } = error;
  if (code === 190 || code === 102) {
    return reconnect("The platform no longer accepts this login. Connect the account again.", source);
  }
  if (code === 10 || (code >= 200 && code <= 299)) {
    return reconnect(
      "A permission that posting needs was not granted or was revoked. Connect the account again.",
      source,
      {
        code: "missing_scope",
        category: "permission",
      },
    );
  }
  if (isRateLimit(error) || response.status === 429) {
    return rateLimited(
      "The platform accepts no more calls at the moment.",
      graphSource(response, error, regainSeconds(response.headers)),
    );
  }
  if (code === 368) {
    return rateLimited(
      "The platform blocks this account's posts at the moment.",
      graphSource(response, error, DAY_SECONDS),
      {
        code: "activity_restricted",
        whoMustAct: "user",
      },
    );
  }
  if (code === 3) {
    return rejected("The platform does not allow this service's app to do that.", source, {
      code: "app_not_allowed",
      category: "permission",
      whoMustAct: "operator",
    });
  }
  if (code === 1 || code === 2 || response.status >= 500) {
    return temporary("The platform could not handle the call.", source);
  }
  return rejected(refusalMessage("The platform refused the post", error), source);
}

function faultWithoutGraphError(response: PlatformResponse, source: FaultSource): Fault {
  if (response.status === 429) {
    return rateLimited("The platform accepts no more calls at the moment.", source);
  }
  return temporary("The platform's response is not what its documentation describes.", source);
}

/** Adds the platform's own error text to a sentence, without the code at its start. */
export function refusalMessage(sentence: string, error: GraphError): string {
  const reason = sanitizeMessage(error.message.replace(/^\(#\d+\)\s*/, ""));
  return reason === "" ? `${sentence}.` : `${sentence}: ${reason}`;
}

/**
 * Whether a refused visible call may still have published something. Meta has answered "retry" for posts that it
 * published. So neither a server error nor a body other than a Graph error is a definite refusal.
 */
export function isAmbiguousResponse(response: PlatformResponse): boolean {
  const error = graphError(response);
  if (error === null) {
    // Meta decides about 401 and 429 before it processes a request, even if a proxy sends them.
    return response.status !== 401 && response.status !== 429;
  }
  return error.code === 1 || error.code === 2 || error.code < 0 || response.status >= 500 || response.status < 400;
}

/**
 * Wraps a client so that every call proves that it knows the app's secret. Apps with "Require App Secret" refuse other
 * calls ("Secure Graph API Calls" in Meta's Graph API guides). The proof is useless without the token, which no URL
 * contains. A call with a refused proof has no effect, so it is repeated once with the next secret.
 */
export function withAppSecretProof(client: PlatformClient, app: AppCredentials): PlatformClient {
  return {
    async fetch(url, init) {
      const token = /^Bearer (?<token>\S+)$/.exec(init?.headers?.["authorization"] ?? "")?.groups?.["token"];
      if (token === undefined) {
        return await client.fetch(url, init);
      }
      const proven = async (secret: string) =>
        await client.fetch(withQuery(url, { appsecret_proof: await hmacSha256Hex(secret, token) }), init);
      const response = await proven(app.clientSecret);
      const next = app.nextClientSecret;
      const mayRepeat = next !== undefined && !(init?.body instanceof ReadableStream);
      return mayRepeat && isProofRefused(response) ? await proven(next) : response;
    },
  };
}

function isProofRefused({ status, text }: PlatformAnswer): boolean {
  return status === 400 && /Invalid appsecret_proof/i.test(text ?? "");
}

/**
 * Adds the proof for products for which Meta does not document it. Other clients send it there too
 * (https://github.com/sns-sdks), and the operator can switch it off with `{PLATFORM}_APPSECRET_PROOF=false`.
 */
export function withUndocumentedProof(client: PlatformClient, app: AppCredentials): PlatformClient {
  return app.settings["APPSECRET_PROOF"] === "false" ? client : withAppSecretProof(client, app);
}

/** Reads an object or a list. The token is in a header, so that no URL contains it. */
export async function graphGet(
  client: PlatformClient,
  url: string,
  token: string,
  query: RequestFields = {},
): Promise<PlatformResponse> {
  return await callPlatform(client, withQuery(url, query), { headers: bearerHeader(token) });
}

/** The timeout (ms) of a call that writes: DEFAULT_REQUEST_TIMEOUT of Meta's php-graph-sdk. */
const WRITE_TIMEOUT_MS = 60_000;

export async function graphPost(
  client: PlatformClient,
  url: string,
  token: string,
  fields: RequestFields,
): Promise<PlatformResponse> {
  return await callPlatform(client, url, { ...postForm(fields, bearerHeader(token)), timeoutMs: WRITE_TIMEOUT_MS });
}

export const CreatedObject = z.looseObject({ id: z.string().min(1) });

const Paging = z
  .looseObject({
    next: z.string().nullish(),
    cursors: z.looseObject({ after: z.string().nullish() }).nullish(),
  })
  .nullish();
export type Paging = z.infer<typeof Paging>;

/**
 * The schema for one page of a list. The next page is requested by its cursor, because the `next` URL contains the
 * token.
 */
export function graphList<S extends z.ZodType>(item: S) {
  return z.looseObject({ data: z.array(item), paging: Paging });
}

/** The cursor of the next page. Undefined on the last page. */
export function nextCursor(paging: Paging): string | undefined {
  if (!paging?.next) {
    return undefined;
  }
  return paging.cursors?.after ?? URL.parse(paging.next)?.searchParams.get("after") ?? undefined;
}
