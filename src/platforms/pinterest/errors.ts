import { HOUR, SECOND } from "#core/clock.ts";
import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { ErrorBody } from "./answers.ts";

/** Values of `Fault.code` that other files of this folder compare. */
export const IMAGE_UNREACHABLE_CODE = "media_unreachable";
const BOARD_NOT_FOUND_CODE = "board_not_found";
const NOT_PERMITTED_CODE = "not_permitted";

const OPERATOR_RETRY_SECONDS = 900;

/** The times that decide how long to wait after a fault. */
export interface FaultTiming {
  readonly now: number;
  readonly dueAt: number;
}

/**
 * Maps an unsuccessful response to a fault by error code and message, because Pinterest uses the same code with
 * different HTTP statuses.
 */
export function toFault(response: PlatformResponse, timing: FaultTiming | null): Fault {
  const errorBody = parseBody(ErrorBody, response) ?? {};
  const code = errorBody.code ?? null;
  const message = [errorBody.message, errorBody.message_detail].filter((text) => typeof text === "string").join(" ");
  const source: FaultSource = {
    httpStatus: response.status,
    platformCode: code?.toString() ?? null,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  };
  const mentions = (part: string) => message.toLowerCase().includes(part);

  if (code === 29 && mentions("trial access")) {
    return rateLimited(
      "This service's Pinterest app has Trial access, which may not create pins. Its operator has to apply for Standard access.",
      { ...source, retryAfterSeconds: OPERATOR_RETRY_SECONDS },
      { code: "app_trial_access", category: "permission", whoMustAct: "operator" },
    );
  }
  if (response.status < 500 && (code === 9 || mentions("spam"))) {
    return rateLimited(
      "Pinterest's spam protection blocks pins of this account for some hours.",
      { ...source, retryAfterSeconds: source.retryAfterSeconds ?? spamWaitSeconds(timing) },
      { code: "activity_restricted", category: "rate_limit", whoMustAct: "user" },
    );
  }
  if (code === 3 && (response.status === 401 || response.status === 403)) {
    return reconnect("The login lacks a permission. Connect the account again.", source, {
      code: "missing_scope",
      category: "permission",
    });
  }
  if (response.status === 401) {
    return reconnect("Pinterest no longer accepts this login. Connect the account again.", source);
  }
  if (response.status === 429 || code === 8) {
    return rateLimited("Pinterest accepts no more calls at the moment.", source);
  }
  if (response.status >= 500 || response.status === 408) {
    return temporary("Pinterest could not handle the call.", source);
  }
  return rejectionFault(response.status, code, mentions, message, source);
}

function rejectionFault(
  status: number,
  code: number | null,
  mentions: (part: string) => boolean,
  message: string,
  source: FaultSource,
): Fault {
  if (mentions("unable to reach the url")) {
    return rejected("Pinterest could not fetch the image from this service.", source, {
      code: IMAGE_UNREACHABLE_CODE,
      category: "media",
      whoMustAct: "operator",
    });
  }
  if (mentions("cover_image_url")) {
    return rejected(refusalMessage("Pinterest requires another cover image", message), source, {
      code: "internal_error",
      category: "internal",
      whoMustAct: "operator",
    });
  }
  if (code === 40 || mentions("board not found")) {
    return rejected("Pinterest does not know this board.", source, { code: BOARD_NOT_FOUND_CODE });
  }
  switch (status) {
    case 400:
      return rejected(refusalMessage("Pinterest refused the pin", message), source);
    case 403:
      return rejected(refusalMessage("Pinterest does not allow this account to do that", message), source, {
        code: NOT_PERMITTED_CODE,
        category: "permission",
      });
    case 404:
      return rejected("Pinterest did not find the requested resource.", source, {
        code: "not_found",
        category: "platform",
      });
    case 413:
      return rejected("Pinterest refused the file as too large.", source, {
        code: "media_too_large",
        category: "media",
      });
    default:
      return rejected(refusalMessage("Pinterest refused the call", message), source, { category: "platform" });
  }
}

/**
 * How long (s) to wait after a block for spam. Retrying early extends the block, so the waits grow: one hour, four,
 * twelve.
 */
function spamWaitSeconds(timing: FaultTiming | null): number {
  const elapsed = timing === null ? 0 : timing.now - timing.dueAt;
  const wait = elapsed < HOUR ? HOUR : elapsed < 5 * HOUR ? 4 * HOUR : 12 * HOUR;
  return wait / SECOND;
}

/** Whether the fault concerns one board only, so that other boards may still accept the pin. */
export function isBoardFault(fault: Fault): boolean {
  return fault.kind === "rejected" && (fault.code === BOARD_NOT_FOUND_CODE || fault.code === NOT_PERMITTED_CODE);
}

function refusalMessage(summary: string, message: string): string {
  const text = sanitizeMessage(message);
  return text === "" ? `${summary}.` : `${summary}: ${text}`;
}

export function unexpectedResponse(response: PlatformResponse): Fault {
  return temporary("Pinterest returned an unexpected response.", { httpStatus: response.status });
}
