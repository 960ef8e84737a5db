import type { JsonObject } from "#core/json.ts";
import type { MediaDescription, ValidationWarning } from "#platforms/contract.ts";
import { REEL_RATIO_ADVISED } from "./limits.ts";

/* Warnings that posts and stories share. */

export function roleWarnings(capabilities: JsonObject): readonly ValidationWarning[] {
  return capabilities["maySeeOnly"] === true
    ? [
        {
          code: "account_not_eligible",
          message:
            "Facebook lists no task for your role on this Page that allows creating posts: ask its administrator",
        },
      ]
    : [];
}

/** Of a video that fills the screen; `what`: "a reel" or "a story". */
export function ratioWarnings(media: readonly MediaDescription[], what: string): readonly ValidationWarning[] {
  return media.flatMap(({ width, height }): readonly ValidationWarning[] =>
    width && height && width / height > REEL_RATIO_ADVISED + 0.01
      ? [
          {
            code: "media_aspect_ratio",
            message: `${what} should be 9:16; Facebook may crop or refuse other ratios`,
          },
        ]
      : [],
  );
}
