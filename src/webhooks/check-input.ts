import type { Services } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { LOGGED_EVENT_TYPES } from "#core/event-type.ts";
import { hasControlCharacter } from "#core/text.ts";
import { checkWebhookAddress } from "./delivery/check-address.ts";
import type { WebhookTypes } from "./types.ts";

export const MAX_DESCRIPTION_CHARACTERS = 200;

export async function urlProblem(
  services: Pick<Services, "outbound" | "config">,
  url: string,
): Promise<RefusalDetail | null> {
  // mutant: any-webhook-address
  const checked = await checkWebhookAddress(services, url);
  return checked.ok ? null : { ...checked.problem, param: "url" };
}

export function descriptionProblem(description: string): RefusalDetail | null {
  const length = [...description].length;
  if (length > MAX_DESCRIPTION_CHARACTERS) {
    return {
      code: "out_of_range",
      message: `description must have at most ${MAX_DESCRIPTION_CHARACTERS} characters`,
      param: "description",
      limit: MAX_DESCRIPTION_CHARACTERS,
      actual: length,
    };
  }
  // mutant: description-of-several-lines
  return description.isWellFormed() && !hasControlCharacter(description)
    ? null
    : { code: "invalid_characters", message: "description must be one line of text", param: "description" };
}

const CHOICES: ReadonlySet<string> = new Set([...LOGGED_EVENT_TYPES, "*"]);

export function typesProblem(types: readonly string[]): RefusalDetail | null {
  if (types.length === 0) {
    return {
      code: "out_of_range",
      message: "types must name at least one event type, or be *",
      param: "types",
      limit: 1,
    };
  }
  const unknown = types.findIndex((type) => !CHOICES.has(type));
  return unknown < 0
    ? null
    : {
        code: "invalid_value",
        message: `types[${unknown}] must be one of ${[...CHOICES].join(", ")}`,
        param: `types[${unknown}]`,
      };
}

/** Sorts out event types: without repetition, and `*` replaces all others. */
export function normalizeTypes(types: WebhookTypes): WebhookTypes {
  return types.includes("*") ? ["*"] : [...new Set(types)];
}
