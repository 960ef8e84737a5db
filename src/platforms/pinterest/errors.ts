import { HOUR, SECOND } from "#core/clock.ts";
import { type Answer, read, retryAfterSeconds } from "#platforms/answer.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, quoted, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { Trouble } from "./answers.ts";

/** Words of `code` that other files of this folder act on. */
export const IMAGE_UNREACHABLE = "media_unreachable";
const BOARD_NOT_FOUND = "board_not_found";
const NOT_PERMITTED = "not_permitted";

const WAIT_FOR_OPERATOR_SECONDS = 900;

/** Times that matter for how long to wait. */
export interface At {
  readonly now: number;
  readonly dueAt: number;
}

/** What an answer that is not a success means: which status goes with which code is not settled, so code and words decide. */
export function toFault(answer: Answer, at: At | null): Fault {
  const trouble = read(Trouble, answer) ?? {};
  const code = trouble.code ?? null;
  const words = [trouble.message, trouble.message_detail].filter((text) => typeof text === "string").join(" ");
  const source: FaultSource = {
    httpStatus: answer.status,
    platformCode: code?.toString() ?? null,
    retryAfterSeconds: retryAfterSeconds(answer.headers),
  };
  const says = (part: string) => words.toLowerCase().includes(part);

  if (code === 29 && says("trial access")) {
    return rateLimited(
      "This service's Pinterest app has Trial access, which may not create pins. Its operator has to apply for Standard access.",
      { ...source, retryAfterSeconds: WAIT_FOR_OPERATOR_SECONDS },
      { code: "app_trial_access", category: "permission", whoMustAct: "operator" },
    );
  }
  if (answer.status < 500 && (code === 9 || says("spam"))) {
    return rateLimited(
      "Pinterest blocks pins of this account for some hours to hold off spam.",
      { ...source, retryAfterSeconds: source.retryAfterSeconds ?? spamWaitSeconds(at) },
      { code: "spam_block", category: "rate_limit", whoMustAct: "user" },
    );
  }
  if (answer.status === 401) {
    return reconnect("Pinterest no longer accepts this login. Connect the account again.", source);
  }
  if (answer.status === 429 || code === 8) {
    return rateLimited("Pinterest takes no more calls for the moment.", source);
  }
  if (answer.status >= 500 || answer.status === 408) {
    return temporary("Pinterest could not handle the call.", source);
  }
  return refusal(answer.status, code, says, words, source);
}

function refusal(
  status: number,
  code: number | null,
  says: (part: string) => boolean,
  words: string,
  source: FaultSource,
): Fault {
  if (says("unable to reach the url")) {
    return rejected("Pinterest could not fetch the image from this service.", source, {
      code: IMAGE_UNREACHABLE,
      category: "media",
      whoMustAct: "operator",
    });
  }
  if (says("cover_image_url")) {
    return rejected(explained("Pinterest asks for another cover", words), source, {
      code: "internal_error",
      category: "internal",
      whoMustAct: "operator",
    });
  }
  if (code === 40 || says("board not found")) {
    return rejected("Pinterest does not know this board.", source, { code: BOARD_NOT_FOUND });
  }
  switch (status) {
    case 400:
      return rejected(explained("Pinterest refused the pin", words), source);
    case 403:
      return code === 3
        ? reconnect("The login lacks a permission. Connect the account again.", source, {
            code: "missing_scope",
            category: "permission",
          })
        : rejected(explained("Pinterest does not allow this account to do that", words), source, {
            code: NOT_PERMITTED,
            category: "permission",
          });
    case 404:
      return rejected("Pinterest does not know what was asked for.", source, {
        code: "not_found",
        category: "platform",
      });
    case 413:
      return rejected("Pinterest refused the file as too large.", source, {
        code: "media_too_large",
        category: "media",
      });
    default:
      return rejected(explained("Pinterest refused the call", words), source, { category: "platform" });
  }
}

/** Asking again soon makes a block longer: an hour, then four, then twelve. */
function spamWaitSeconds(at: At | null): number {
  const elapsed = at === null ? 0 : at.now - at.dueAt;
  const wait = elapsed < HOUR ? HOUR : elapsed < 5 * HOUR ? 4 * HOUR : 12 * HOUR;
  return wait / SECOND;
}

/** The other boards may still take the pin. */
export function isOfTheBoard(fault: Fault): boolean {
  return fault.kind === "rejected" && (fault.code === BOARD_NOT_FOUND || fault.code === NOT_PERMITTED);
}

function explained(what: string, words: string): string {
  const text = quoted(words);
  return text === "" ? `${what}.` : `${what}: ${text}`;
}

export function unexpected(answer: Answer): Fault {
  return temporary("Pinterest answered with something else than its document says.", { httpStatus: answer.status });
}
