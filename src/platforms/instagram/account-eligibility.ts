import type { JsonObject } from "#core/json.ts";
import type { ValidationProblem, ValidationWarning } from "#platforms/contract.ts";

/* Whether the account can publish through an app at all, whatever the post is. */

export function accountProblems(capabilities: JsonObject): readonly ValidationProblem[] {
  return capabilities["accountType"] === "PERSONAL"
    ? [
        {
          code: "account_not_eligible",
          message: "Instagram allows only professional accounts to publish through apps",
          param: "account_id",
        },
      ]
    : [];
}

export function accountWarnings(capabilities: JsonObject): readonly ValidationWarning[] {
  return capabilities["maySeeOnly"] === true
    ? [
        {
          code: "account_not_eligible",
          message:
            "no task is listed for your role on the account's Page that allows creating posts: ask its administrator",
        },
      ]
    : [];
}
