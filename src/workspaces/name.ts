import { refuse } from "#core/errors.ts";

const MAX_LENGTH = 100;
const CONTROL = /\p{Cc}/u;

/** A workspace's name as it will be stored: trimmed, 1 to 100 characters a person would count, none of them invisible control. */
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
          code: "invalid_length",
          message: `1 to ${MAX_LENGTH} characters`,
          param: "name",
          limit: MAX_LENGTH,
          actual: length,
        },
      ],
    });
  }
  if (!name.isWellFormed() || CONTROL.test(name)) {
    refuse({
      code: "validation_failed",
      message: "A workspace name cannot contain control characters.",
      param: "name",
    });
  }
  return name;
}
