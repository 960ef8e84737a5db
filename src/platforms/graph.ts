import { z } from "@hono/zod-openapi";
import { type Answer, call, read, retryAfterSeconds } from "./answer.ts";
import type { Fault, PlatformClient } from "./contract.ts";
import { type FaultSource, quoted, rateLimited, reconnect, rejected, temporary } from "./fault.ts";
import { bearer, type Fields, postForm, withQuery } from "./form.ts";

/*
 * The Graph envelope: how several platforms of one house ask, answer and refuse. What a code means on one platform alone
 * stands in that platform's errors.ts and is asked first.
 */

const Envelope = z.looseObject({
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

/** Null when the answer carries no error of this shape. */
export function graphError(answer: Answer): GraphError | null {
  const error = read(Envelope, answer)?.error;
  return error
    ? { code: error.code, subcode: error.error_subcode ?? null, message: error.error_user_msg ?? error.message ?? "" }
    : null;
}

export function graphCode(error: GraphError): string {
  return error.subcode === null ? String(error.code) : `${error.code}/${error.subcode}`;
}

export function graphSource(answer: Answer, error: GraphError | null, retryAfter?: number): FaultSource {
  return {
    httpStatus: answer.status,
    platformCode: error ? graphCode(error) : null,
    retryAfterSeconds: retryAfter ?? retryAfterSeconds(answer.headers),
  };
}

const Usage = z.record(z.string(), z.array(z.looseObject({ estimated_time_to_regain_access: z.number().nullish() })));

/** Minutes to wait stand in a header, per business and use case. */
function regainSeconds(headers: Headers): number | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(headers.get("x-business-use-case-usage") ?? "null");
  } catch {
    return undefined;
  }
  const usage = Usage.safeParse(parsed);
  const minutes = usage.success
    ? Object.values(usage.data).flatMap((cases) => cases.map((one) => one.estimated_time_to_regain_access ?? 0))
    : [];
  const longest = Math.max(0, ...minutes);
  return longest > 0 ? longest * 60 : undefined;
}

const DAY_SECONDS = 86_400;

function isRateLimit(error: GraphError): boolean {
  return [4, 17, 32, 341, 613].includes(error.code) || (error.code >= 80_000 && error.code <= 80_014);
}

/** The codes that mean the same on every Graph, as the guide to its errors lists them. */
export function graphFault(answer: Answer): Fault {
  const error = graphError(answer);
  const source = graphSource(answer, error);
  if (error === null) {
    return answer.status === 401
      ? reconnect("The platform no longer accepts this login. Connect the account again.", source)
      : withoutEnvelope(answer, source);
  }
  const { code } = error;
  if (code === 190 || code === 102) {
    return reconnect("The platform no longer accepts this login. Connect the account again.", source);
  }
  if (code === 10 || (code >= 200 && code <= 299)) {
    return reconnect(
      "A permission that posting needs was not granted or was taken back. Connect the account again.",
      source,
      {
        code: "missing_scope",
        category: "permission",
      },
    );
  }
  if (isRateLimit(error) || answer.status === 429) {
    return rateLimited(
      "The platform takes no more calls for the moment.",
      graphSource(answer, error, regainSeconds(answer.headers)),
    );
  }
  if (code === 368) {
    return rateLimited(
      "The platform blocks this account's posts for the moment.",
      graphSource(answer, error, DAY_SECONDS),
      {
        code: "policy_block",
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
  if (code === 1 || code === 2 || answer.status >= 500) {
    return temporary("The platform could not handle the call.", source);
  }
  return rejected(explained("The platform refused the post", error), source);
}

function withoutEnvelope(answer: Answer, source: FaultSource): Fault {
  if (answer.status === 429) {
    return rateLimited("The platform takes no more calls for the moment.", source);
  }
  return temporary("The platform answered with something else than its document says.", source);
}

export function explained(what: string, error: GraphError): string {
  const words = quoted(error.message.replace(/^\(#\d+\)\s*/, ""));
  return words === "" ? `${what}.` : `${what}: ${words}`;
}

/**
 * Whether a refusal of a visible call leaves open what happened: the house itself asks to "retry" posts that are live
 * already, so a server error, or an answer that is not its envelope, decides nothing.
 */
export function isUndecided(answer: Answer): boolean {
  const error = graphError(answer);
  if (error === null) {
    // These two are said before a call is looked at, by whoever says them.
    return answer.status !== 401 && answer.status !== 429;
  }
  return error.code === 1 || error.code === 2 || error.code < 0 || answer.status >= 500 || answer.status < 400;
}

/** Reads `fields` of an object. The token travels in a header, so that it never stands in an address. */
export async function graphGet(
  client: PlatformClient,
  url: string,
  token: string,
  query: Fields = {},
): Promise<Answer> {
  return await call(client, withQuery(url, query), { headers: bearer(token) });
}

export async function graphPost(client: PlatformClient, url: string, token: string, fields: Fields): Promise<Answer> {
  return await call(client, url, postForm(fields, bearer(token)));
}

export const Made = z.looseObject({ id: z.string().min(1) });

const Paging = z
  .looseObject({
    next: z.string().nullish(),
    cursors: z.looseObject({ after: z.string().nullish() }).nullish(),
  })
  .nullish();
export type Paging = z.infer<typeof Paging>;

/** One page of a list. The next page is asked for by its cursor: the address the platform gives carries the token. */
export function listOf<S extends z.ZodType>(item: S) {
  return z.looseObject({ data: z.array(item), paging: Paging });
}

export function nextCursor(paging: Paging): string | undefined {
  if (!paging?.next) {
    return undefined;
  }
  return paging.cursors?.after ?? URL.parse(paging.next)?.searchParams.get("after") ?? undefined;
}
