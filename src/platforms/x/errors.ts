import { type Answer, read, retryAfterSeconds } from "#platforms/answer.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, quoted, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { Trouble } from "./answers.ts";

/** Words of `code` that other files of this folder act on. */
export const QUOTE_REFUSED = "quote_not_allowed";
export const DUPLICATE = "duplicate_content";
export const MEDIA_GONE = "media_expired";
export const CHUNK_TOO_BIG = "chunk_too_big";

const WAIT_FOR_OPERATOR_SECONDS = 900;

/** What an answer that is not a success means. `now` turns X's reset times into seconds; without it they are left out. */
export function toFault(answer: Answer, now: number | null): Fault {
  const trouble = read(Trouble, answer) ?? {};
  const type = trouble.type?.split("/").at(-1) ?? "";
  const words = [
    trouble.detail,
    trouble.message,
    ...(trouble.errors ?? []).flatMap((error) => [error.message, error.detail]),
  ]
    .filter((text) => typeof text === "string")
    .join(" ");
  const number = trouble.code ?? trouble.errors?.find((error) => typeof error.code === "number")?.code;
  const source: FaultSource = {
    httpStatus: answer.status,
    platformCode:
      trouble.reason ?? (type && type !== "about:blank" && type !== "blank" ? type : (number?.toString() ?? null)),
  };
  const says = (part: string) => words.toLowerCase().includes(part);

  if (answer.status === 402 || type === "credits") {
    return operator("The service's X credits are used up.", "credits_depleted", "billing", source);
  }
  if (type === "usage-capped") {
    return operator("The service's usage cap at X is reached.", "usage_capped", "quota", source);
  }
  if (answer.status === 429 || number === 88) {
    return rateLimited("X takes no more calls of this account for the moment.", {
      ...source,
      retryAfterSeconds: waitSeconds(answer.headers, now),
    });
  }
  if (answer.status >= 500) {
    return temporary("X could not handle the call.", {
      ...source,
      retryAfterSeconds: retryAfterSeconds(answer.headers),
    });
  }
  switch (answer.status) {
    case 400:
      return badRequest(says, words, source);
    case 401:
      return reconnect("X no longer accepts this login. Connect the account again.", source);
    case 403:
      return forbidden(type, trouble.reason ?? "", says, words, source);
    case 404:
      return rejected("X does not know what was asked for.", source, { code: "not_found", category: "platform" });
    case 413:
    case 431:
      return rejected("X refused a file as too large.", source, { code: CHUNK_TOO_BIG, category: "media" });
    default:
      return rejected(explained("X refused the call", words), source, { category: "platform", whoMustAct: "operator" });
  }
}

function badRequest(says: (part: string) => boolean, words: string, source: FaultSource): Fault {
  if (says("media ids are invalid") || says("media id is invalid")) {
    return rejected("X no longer knows the uploaded media.", source, { code: MEDIA_GONE, category: "media" });
  }
  if (says("media")) {
    return rejected(explained("X refused the media", words), source, { code: "media_invalid", category: "media" });
  }
  return rejected(explained("X refused the request", words), source, { category: "content" });
}

function forbidden(
  type: string,
  reason: string,
  says: (part: string) => boolean,
  words: string,
  source: FaultSource,
): Fault {
  if (says("duplicate content")) {
    return rejected("X refused the text: this account has just posted the same.", source, {
      code: DUPLICATE,
      category: "duplicate",
    });
  }
  if (says("quoting this post is not allowed")) {
    return rejected("X does not let this service quote that post.", source, {
      code: QUOTE_REFUSED,
      category: "permission",
    });
  }
  if (type === "user-suspended" || says("temporarily locked") || says("suspended")) {
    return reconnect("X has locked or suspended this account. Unlock it at X and connect it again.", source, {
      code: "account_blocked",
      category: "permission",
    });
  }
  if (type === "unsupported-authentication" || reason === "unsupported-authentication") {
    return reconnect("The login lacks a permission. Connect the account again.", source, { code: "missing_scope" });
  }
  if (type === "client-forbidden" || type === "oauth1-permissions" || type === "client-not-enrolled") {
    return rejected("X does not allow this service's app to do that.", source, {
      code: "app_not_allowed",
      category: "permission",
      whoMustAct: "operator",
    });
  }
  if (says("cashtag") || says("invalid url")) {
    return rejected(explained("X refused the text", words), source, { code: "content_refused" });
  }
  if (says("video longer than")) {
    return rejected("X does not let this account post a video this long.", source, {
      code: "media_invalid",
      category: "media",
    });
  }
  if (words === "" || words === "Forbidden") {
    return reconnect("The login lacks a permission (posting or media upload). Connect the account again.", source, {
      code: "missing_scope",
    });
  }
  return rejected(
    `${explained("X refused the post", words)} Common reasons: too long for this account, a quote, or a restricted account.`,
    source,
    { code: "not_permitted", category: "permission" },
  );
}

function operator(message: string, code: string, category: "billing" | "quota", source: FaultSource): Fault {
  return rateLimited(
    message,
    { ...source, retryAfterSeconds: WAIT_FOR_OPERATOR_SECONDS },
    { code, category, whoMustAct: "operator" },
  );
}

function explained(what: string, words: string): string {
  const text = quoted(words);
  return text === "" ? `${what}.` : `${what}: ${text}`;
}

/** The day's window when that one is spent, else the short one. */
function waitSeconds(headers: Headers, now: number | null): number | undefined {
  const day = ["x-user-limit-24hour", "x-app-limit-24hour"].find((name) => headers.get(`${name}-remaining`) === "0");
  const reset = Number(headers.get(day ? `${day}-reset` : "x-rate-limit-reset") ?? Number.NaN);
  const clock = now ?? Date.parse(headers.get("date") ?? "");
  if (reset > 0 && Number.isFinite(clock)) {
    return Math.max(1, Math.ceil(reset - clock / 1000));
  }
  return retryAfterSeconds(headers);
}
