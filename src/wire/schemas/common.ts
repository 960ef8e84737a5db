import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { PLATFORMS } from "#core/platform.ts";
import { parseInstant } from "#wire/instant.ts";

export const EXAMPLE_ID = "01983c1e-7d1a-7c3e-9a57-3f1f6f0f2a11";
export const EXAMPLE_APPROVAL_ID = "01983c1e-8f02-7b61-8d0c-6b1de2c4a9f7";
export const EXAMPLE_ACCOUNT_ID = "01983c1e-9021-7f55-b7d2-0c4b7b0e6d13";
export const EXAMPLE_WORKSPACE_ID = "01983c1e-6b00-7a10-8a33-2f9d1c5e4b77";
export const EXAMPLE_WEBHOOK_ID = "01983c1e-a1c4-7e02-9b36-5d8e7f1a0c22";
export const EXAMPLE_DRAFT_ID = "01983c1e-b2d5-7f13-8c47-6e9f8a2b1d44";
export const EXAMPLE_KEY_ID = "0197a3f0-5b1e-7c42-9d27-3f6c1a2b4d5e";
export const EXAMPLE_ORIGIN = "https://almanac.example.org";
export const EXAMPLE_PLATFORM = PLATFORMS[0];
/** The account that fails in examples with a failure. */
export const EXAMPLE_OTHER_ACCOUNT_ID = "01983c1e-9344-7a0e-8c51-7e2f4b6d9a35";
export const EXAMPLE_OTHER_PLATFORM = PLATFORMS[5];

/** A UUID of any version in upper or lower case. It becomes lower case, like stored ids. */
export const Id = z.guid().toLowerCase().openapi({ type: "string", format: "uuid", example: EXAMPLE_ID });

export const IdInPath = z.object({
  id: Id.openapi({ param: { name: "id", in: "path", description: "The post's id." } }),
});

/** An optional member of a request. It also accepts null, because a caller may send back what a read returned. */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value): z.output<S> | undefined => value ?? undefined);
}

/** The member `confirm` that every destructive call requires in its body. */
export const ExplicitConfirm = z
  .literal(true)
  .openapi({ description: "Must be `true`: the call cannot be undone.", example: true });

export const INSTANT_EXPECTED = "must be a date-time with an offset or Z, such as 2026-12-24T18:00:00Z";

function instantInput(explain: (text: string) => string) {
  return z
    .string()
    .transform((text, ctx) => {
      const ms = parseInstant(text);
      if (ms === undefined) {
        ctx.issues.push({ code: "custom", input: text, message: explain(text), params: { code: "invalid_format" } });
        return z.NEVER;
      }
      return ms;
    })
    .openapi({ type: "string", format: "date-time", example: "2026-12-24T18:00:00Z" });
}

/** A date-time in a request: RFC 3339 with an offset or `Z`. It is parsed to milliseconds. */
export const InstantInput = instantInput(() => INSTANT_EXPECTED);

/** A date-time in a query, where an unencoded `+` arrives as a space. */
export const InstantInQuery = instantInput((text) =>
  parseInstant(text.replace(/ (?=\d\d:\d\d$)/, "+")) === undefined
    ? INSTANT_EXPECTED
    : "has a space before its offset: encode + as %2B in a query",
);

/** A date-time in a response: UTC, with milliseconds and `Z`. */
export const Instant = z.string().openapi({ format: "date-time", example: "2026-12-24T18:00:00.000Z" });

export function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : toIsoInstant(ms);
}

export const PlatformName = z
  .enum(PLATFORMS)
  .openapi("Platform", { description: "A platform to which posts can be published.", example: EXAMPLE_PLATFORM });

interface QueryInteger {
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly description: string;
  readonly example: number;
  readonly format?: "int64";
}

/** A whole number in a query, written only in decimal digits: `1e3`, `+1` and `0x10` are refused. */
export function queryInteger({ min, max, description, example, ...rest }: QueryInteger) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .transform((text, ctx) => {
      const value = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) {
        ctx.issues.push({ code: "custom", input: text, message, params: { code: "out_of_range" } });
        return z.NEVER;
      }
      return value;
    })
    .default(rest.default)
    .openapi({ type: "integer", minimum: min, maximum: max, ...rest, param: { description }, example });
}

/** The query parameters for one page of a list: its size, and how many items come before it. */
export const pageInQuery = (things: string, maxLimit: number) => ({
  limit: queryInteger({
    min: 1,
    max: maxLimit,
    default: 50,
    description: `The maximum number of ${things} on a page.`,
    example: 50,
  }),
  offset: queryInteger({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: `The number of ${things} to skip.`,
    example: 0,
  }),
});

export const QueryBoolean = z.enum(["true", "false"]).transform((value) => value === "true");
