import { hasControlCharacter } from "#core/text.ts";
import { refuse } from "#core/errors.ts";

const MAX_LENGTH = 100;

/** Trims and validates a workspace's name: 1 to 100 Unicode characters, no control characters. */
export function parseName(input: string): string {
  const name = input.trim();
  const length = [...name].length;
  if (length < 1 || length > MAX_LENGTH) {
    refuse({
      code: "validation_failed",
      message: `A workspace name has 1 to ${MAX_LENGTH} characters after trimming.`,
      param: "name",
      details: [
        {
          code: "out_of_range",
          message: `1 to ${MAX_LENGTH} characters`,
          param: "name",
          limit: MAX_LENGTH,
          actual: length,
        },
      ],
    });
  }
  if (!name.isWellFormed() || hasControlCharacter(name)) {
    refuse({
      code: "validation_failed",
      message: "A workspace name cannot contain control characters.",
      param: "name",
    });
  }
  return name;
}
