import type { z } from "@hono/zod-openapi";
import type { Context } from "#context.ts";
import type { Refusal, RefusalDetail } from "#core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { isTimeZone } from "#core/time-zone.ts";
import { MediaItem } from "#wire/schemas/media.ts";
import { ScheduleSlot } from "#wire/schemas/slots.ts";
import { readableBody } from "#wire/unread-members.ts";
import { formatPath, refusalOf, toRefusal } from "#wire/validation-refusal.ts";
import { assertWellFormed } from "#wire/well-formed.ts";
import type { TimeReader } from "#mcp/describe/local-time.ts";
import { MediaItemArgument, TargetArgument } from "./post-arguments.ts";

export type ReadArguments<Schema extends z.ZodObject> =
  | { readonly ok: true; readonly input: z.output<Schema> }
  | {
      readonly ok: false;
      /** Makes the refusal for unreadable arguments, together with further problems that the caller found. */
      readonly refusal: (others: readonly RefusalDetail[]) => Refusal;
      /**
       * The arguments without the unreadable ones, for which `substitutes` stand in. Undefined if a required one is
       * still missing.
       */
      readonly readable: (substitutes: Readonly<Record<string, JsonValue>>) => z.output<Schema> | undefined;
      readonly unread: ReadonlySet<string>;
    };

/** Reads a tool's arguments. Times are in the zone that the arguments name, or else in the person's own. */
export function readArguments<Schema extends z.ZodObject>(
  { actor, clock }: Pick<Context, "actor" | "clock">,
  input: (reader: TimeReader) => Schema,
  args: JsonObject,
): ReadArguments<Schema> {
  assertWellFormed(args);
  const schema = input({ timeZone: zoneOf(args, actor.timeZone), now: clock.now() });
  const { known, problems } = withoutUnknown(schema, args);
  const parsed = schema.safeParse(known);
  if (parsed.success && problems.length === 0) {
    return { ok: true, input: parsed.data };
  }
  const failure = parsed.success ? null : { target: "json", data: known, error: parsed.error };
  const unread = new Set(failure?.error.issues.map(({ path: [member] }) => String(member)));
  return {
    ok: false,
    unread,
    readable: (substitutes) => schema.safeParse(readableBody(known, unread, substitutes)).data,
    refusal(others) {
      const refusal = failure && toRefusal(failure);
      const all = [...problems, ...(refusal?.details ?? []), ...others];
      return refusal && all.length === 1 ? refusal : refusalOf(all);
    },
  };
}

function zoneOf({ time_zone: named }: JsonObject, own: string): string | null {
  if (named === undefined || named === null) {
    return own;
  }
  return typeof named === "string" && isTimeZone(named) ? named : null;
}

const TARGET_MEMBERS = Object.keys(TargetArgument.shape);

/**
 * The members of objects in lists, other than targets. A model may send media back with all members that a read
 * returned.
 */
const MEMBERS_OF: Readonly<Record<string, readonly string[]>> = {
  media_items: [...new Set([...Object.keys(MediaItemArgument.shape), ...Object.keys(MediaItem.shape)])],
  slots: Object.keys(ScheduleSlot.shape),
};

/** Keeps the arguments that a tool knows. Refuses an unknown name, because it may be a mistake that changes the meaning. */
function withoutUnknown(
  schema: z.ZodObject,
  args: JsonObject,
): { readonly known: JsonObject; readonly problems: readonly RefusalDetail[] } {
  const problems: RefusalDetail[] = [];
  const pick = (members: JsonObject, names: readonly string[], path: readonly PropertyKey[]): JsonObject => {
    const unknown = Object.keys(members).filter((name) => !names.includes(name));
    problems.push(...unknown.map((name) => unknownArgument(formatPath([...path, name]), name, names)));
    return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
  };
  // Treat null as not set. A model may send back what it has read, and a read returns null for such members.
  const set = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const known = Object.entries(pick(set, Object.keys(schema.shape), [])).map(([name, value]) => [
    name,
    Array.isArray(value)
      ? (value as readonly JsonValue[]).map((item, index) =>
          isJsonObject(item) ? pick(item, MEMBERS_OF[name] ?? TARGET_MEMBERS, [name, index]) : item,
        )
      : value,
  ]);
  return { known: Object.fromEntries(known) as JsonObject, problems };
}

/** Argument names that models know from other tools, with the names of these tools. */
const MEANT: readonly (readonly [word: RegExp, name: string])[] = [
  [/^(?:text|content|message|body|post|description)$/, "caption"],
  [/media|image|video|attachment|file/, "media_urls"],
  [/^(?:time_?zone|tz|zone)$/i, "time_zone"],
  [/schedul|^(?:when|time|date|at|publish_at|datetime)$/, "scheduled_at"],
  [/option/, "platform_options"],
  [/account|profile|channel/, "account_ids"],
  [/platform|network/, "platforms"],
  [/token/, "confirmation_token"],
  [/^(?:start|since|after)/, "from"],
  [/^(?:end|to|before)/, "until"],
  [/^(?:count|size|page_size|max)/, "limit"],
  [/post|^id$/, "post_id"],
  [/url|link/, "urls"],
  [/workspace/, "workspace_id"],
];

function nameMeantBy(name: string, names: readonly string[]): string | undefined {
  return (
    names.find((known) => known === `${name}s` || `${known}s` === name) ??
    MEANT.flatMap(([word, known]) => (word.test(name) && names.includes(known) ? [known] : []))[0]
  );
}

/**
 * Whether an unknown argument is an option. Options belong to an account, but models often put them beside the caption.
 */
function isMisplacedOptions(param: string, name: string, names: readonly string[]): boolean {
  return param === name && /option/.test(name) && names.includes("targets");
}

function unknownArgument(param: string, name: string, names: readonly string[]): RefusalDetail {
  if (isMisplacedOptions(param, name, names)) {
    const list = names.includes("target_options") ? "target_options" : "targets";
    const message = `options belong to an account: send ${list}: [{ "account_id": "…", "platform_options": { … } }]${list === "targets" ? " instead of account_ids or platforms" : ""}`;
    return { code: "unknown_argument", message, param };
  }
  const meant = nameMeantBy(name, names);
  const advice = meant === undefined ? `it takes ${names.join(", ") || "no arguments"}` : `it is called ${meant}`;
  return { code: "unknown_argument", message: `this tool has no argument ${name}: ${advice}`, param };
}
