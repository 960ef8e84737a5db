import { isoInDays } from "../../support/api-workflows.ts";
import type { Fixture } from "./fixture.ts";

export type Arguments = Record<string, unknown>;

/** A call as a model gets it wrong. */
export interface BadCall {
  readonly about: "time" | "destination" | "options" | "media" | "state" | "arguments";
  readonly name: string;
  readonly tool: string;
  readonly args: (fixture: Fixture) => Arguments;
  /** Every problem, as `code param`. */
  readonly problems: readonly string[];
  /** Whether the text of the refusal is enough to send the call again, correctly. */
  readonly repairable: boolean;
}

const wall = (days: number) => isoInDays(days).slice(0, 16);
const UNKNOWN_ID = "01983c1e-0000-7c3e-9a57-3f1f6f0f2a11";

/** The day of next spring on which the clocks of Berlin are moved forward: the last Sunday of March. */
function springDay(): string {
  const now = new Date();
  const lastSunday = (year: number) => {
    const end = new Date(Date.UTC(year, 2, 31));
    return new Date(end.valueOf() - end.getUTCDay() * 86_400_000);
  };
  const thisYear = lastSunday(now.getUTCFullYear());
  return (thisYear > now ? thisYear : lastSunday(now.getUTCFullYear() + 1)).toISOString().slice(0, 10);
}

/** The first of the next January or July, in whichever Berlin's offset is not the other's. */
function wrongOffset(): string {
  const now = new Date();
  const january = new Date(Date.UTC(now.getUTCFullYear() + 1, 0, 15));
  return `${january.toISOString().slice(0, 10)}T18:00:00+02:00`;
}

const post = (args: (fixture: Fixture) => Arguments) => (fixture: Fixture) => ({
  caption: "A new glaze",
  scheduled_at: wall(3),
  account_ids: [fixture.accounts.x],
  ...args(fixture),
});

function preview(
  about: BadCall["about"],
  name: string,
  args: (fixture: Fixture) => Arguments,
  problems: readonly string[],
  repairable = true,
): BadCall {
  return { about, name, tool: "preview_post", args: post(args), problems, repairable };
}

function edit(
  about: BadCall["about"],
  name: string,
  args: (fixture: Fixture) => Arguments,
  problems: readonly string[],
  repairable = true,
): BadCall {
  const withPost = (fixture: Fixture) => ({ post_ids: [fixture.scheduledId], ...args(fixture) });
  return { about, name, tool: "preview_edit", args: withPost, problems, repairable };
}

function other(
  tool: string,
  about: BadCall["about"],
  name: string,
  args: (fixture: Fixture) => Arguments,
  problems: readonly string[],
  repairable = true,
): BadCall {
  return { about, name, tool, args, problems, repairable };
}

const target = (account_id: string, platform_options: unknown = {}, more: Arguments = {}) => ({
  account_ids: undefined,
  targets: [{ account_id, platform_options, ...more }],
});

export const BAD_CALLS: readonly BadCall[] = [
  preview("time", "a word", () => ({ scheduled_at: "tomorrow at 6pm" }), ["invalid_format scheduled_at"]),
  preview("time", "a day without a time", () => ({ scheduled_at: isoInDays(3).slice(0, 10) }), [
    "invalid_format scheduled_at",
  ]),
  preview("time", "a number", () => ({ scheduled_at: 1_800_000_000 }), ["wrong_type scheduled_at"], false),
  preview("time", "none", () => ({ scheduled_at: undefined }), ["required scheduled_at"], false),
  preview("time", "last year", () => ({ scheduled_at: "2025-12-24T18:00" }), ["scheduled_at_in_past scheduled_at"]),
  preview("time", "in two years", () => ({ scheduled_at: wall(730) }), ["scheduled_at_too_far scheduled_at"]),
  preview(
    "time",
    "an hour that the clock skips",
    () => ({ scheduled_at: `${springDay()}T02:30`, time_zone: "Europe/Berlin" }),
    ["local_time_does_not_exist scheduled_at"],
  ),
  preview(
    "time",
    "the offset of summer in winter",
    () => ({ scheduled_at: wrongOffset(), time_zone: "Europe/Berlin" }),
    ["offset_disagrees scheduled_at"],
  ),
  preview("time", "an offset as the zone", () => ({ time_zone: "+01:00" }), ["invalid_value time_zone"]),
  preview("time", "a city as the zone", () => ({ time_zone: "Berlin" }), ["invalid_value time_zone"]),
  edit("time", "a time and a shift", () => ({ scheduled_at: wall(5), shift_minutes: 30 }), [
    "exclusive_fields shift_minutes",
  ]),
  edit(
    "time",
    "a shift into the past",
    () => ({ shift_minutes: -10_000 }),
    ["scheduled_at_in_past shift_minutes"],
    false,
  ),
  edit("time", "a shift of half a minute", () => ({ shift_minutes: 0.5 }), ["wrong_type shift_minutes"], false),

  preview("destination", "nowhere", () => ({ account_ids: undefined }), ["targets_required targets"]),
  preview("destination", "an old name", () => ({ account_ids: undefined, platforms: ["twitter"] }), [
    "invalid_value platforms[0]",
  ]),
  preview(
    "destination",
    "a platform that nobody has",
    () => ({ account_ids: undefined, platforms: ["myspace"] }),
    ["invalid_value platforms[0]"],
    false,
  ),
  preview("destination", "a platform without an account", () => ({ account_ids: undefined, platforms: ["facebook"] }), [
    "account_not_found platforms",
  ]),
  preview("destination", "an unknown account", () => ({ account_ids: [UNKNOWN_ID] }), [
    "account_not_found account_ids[0]",
  ]),
  preview(
    "destination",
    "a name instead of an id",
    () => ({ account_ids: ["@ada_example"] }),
    ["invalid_format account_ids[0]"],
    false,
  ),
  preview("destination", "an account twice", ({ accounts }) => ({ account_ids: [accounts.x, accounts.x] }), [
    "duplicate_account account_ids[1]",
  ]),
  preview("destination", "a login that has ended", ({ lapsedId }) => ({ account_ids: [lapsedId] }), [
    "account_needs_reconnect account_ids[0]",
  ]),
  preview("destination", "one id without its list", ({ accounts }) => ({ account_ids: accounts.x }), [
    "wrong_type account_ids",
  ]),
  preview("destination", "a list as a text", ({ accounts }) => ({ account_ids: JSON.stringify([accounts.x]) }), [
    "wrong_type account_ids",
  ]),

  preview(
    "arguments",
    "account_id for account_ids",
    ({ accounts }) => ({ account_ids: undefined, account_id: accounts.x }),
    ["unknown_argument account_id", "targets_required targets"],
  ),
  preview("arguments", "text for caption", () => ({ caption: undefined, text: "A new glaze" }), [
    "unknown_argument text",
    "required caption",
  ]),
  preview("arguments", "images for media", () => ({ images: [] }), ["unknown_argument images"]),
  preview("arguments", "timezone", () => ({ timezone: "Europe/Berlin" }), ["unknown_argument timezone"]),
  preview(
    "arguments",
    "a caption of a target by another name",
    ({ accounts }) => target(accounts.x, {}, { text: "Hi" }),
    ["unknown_argument targets[0].text"],
  ),
  preview("arguments", "an empty caption", () => ({ caption: "" }), ["out_of_range caption"], false),
  preview("arguments", "options as a list", ({ accounts }) => target(accounts.x, []), [
    "invalid_value targets[0].platform_options",
  ]),
  other("list_posts", "arguments", "a page of 500", () => ({ limit: 500 }), ["out_of_range limit"]),
  other("list_posts", "arguments", "a status that posts do not have", () => ({ status: "pending" }), [
    "invalid_value status",
  ]),
  other("get_post", "arguments", "id for post_id", ({ scheduledId }) => ({ id: scheduledId }), [
    "unknown_argument id",
    "required post_id",
  ]),

  preview(
    "options",
    "a video platform without title and video",
    ({ accounts }) => ({ account_ids: [accounts.youtube] }),
    ["option_required targets[].platform_options.title", "media_required media_urls"],
    false,
  ),
  preview(
    "options",
    "a pin without a board",
    ({ accounts }) => ({ account_ids: [accounts.pinterest] }),
    ["option_required targets[].platform_options.board_ids", "media_required media_urls"],
    false,
  ),
  preview(
    "options",
    "who can reply, in other words",
    ({ accounts }) => target(accounts.x, { reply_settings: "everyone" }),
    ["option_invalid targets[0].platform_options.reply_settings"],
  ),
  preview(
    "options",
    "a quote that is no post",
    ({ accounts }) => target(accounts.x, { quote_tweet_url: "hello" }),
    ["option_invalid targets[0].platform_options.quote_tweet_url"],
    false,
  ),
  preview(
    "options",
    "a caption that is too long",
    ({ accounts }) => ({
      caption: "x".repeat(700),
      account_ids: [accounts.threads],
    }),
    ["caption_too_long caption"],
  ),
  preview(
    "options",
    "an own caption that is too long",
    ({ accounts }) => target(accounts.threads, {}, { caption: "x".repeat(700) }),
    ["caption_too_long targets[0].caption"],
  ),
  preview(
    "options",
    "a misspelt audience",
    ({ accounts }) => target(accounts.x, { reply_setings: "following" }),
    ["option_unknown targets[0].platform_options.reply_setings"],
    false,
  ),
  preview(
    "options",
    "an audience of another platform",
    ({ accounts }) => target(accounts.threads, { privacy_status: "private" }),
    ["option_unknown targets[0].platform_options.privacy_status"],
    false,
  ),

  preview(
    "media",
    "a picture platform without a picture",
    ({ accounts }) => ({ account_ids: [accounts.instagram] }),
    ["media_required media_urls"],
    false,
  ),
  preview("media", "an address without TLS", () => ({ media_urls: ["http://images.example.net/a.jpg"] }), [
    "url_not_https media_urls[0]",
  ]),
  preview(
    "media",
    "a private address",
    () => ({ media_urls: ["https://10.0.0.1/a.jpg"] }),
    ["url_not_public media_urls[0]"],
    false,
  ),
  preview(
    "media",
    "a file that was never uploaded",
    () => ({
      media_urls: [`http://localhost:8787/media/${UNKNOWN_ID}/a.jpg`],
    }),
    ["media_not_found media_urls[0]"],
    false,
  ),
  other("import_media", "media", "nothing to import", () => ({ urls: [] }), ["out_of_range urls"], false),
  other(
    "create_upload",
    "media",
    "a file that no platform takes",
    () => ({
      filename: "a.docx",
      content_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      size_bytes: 1000,
    }),
    ["media_type_unsupported content_type"],
    false,
  ),

  preview(
    "options",
    "options beside the caption",
    ({ accounts }) => ({ account_ids: [accounts.x], platform_options: { reply_settings: "following" } }),
    ["unknown_argument platform_options"],
    false,
  ),
  other(
    "set_slots",
    "time",
    "a weekday in words and an hour without its zero",
    () => ({ time_zone: "Europe/Berlin", slots: [{ weekday: "monday", time: "9:30" }] }),
    ["wrong_type slots[0].weekday", "invalid_format slots[0].time"],
    false,
  ),

  other("cancel_post", "state", "without asking", ({ doomedId }) => ({ post_id: doomedId }), ["required confirm"]),
  other(
    "cancel_post",
    "state",
    "again",
    ({ cancelledId }) => ({ post_id: cancelledId, confirm: true }),
    ["invalid_state"],
    false,
  ),
  other(
    "confirm_preview",
    "state",
    "a made-up token",
    () => ({ confirmation_token: "yes" }),
    ["invalid_confirmation_token"],
    false,
  ),
  other("get_post", "state", "a post of nobody", () => ({ post_id: UNKNOWN_ID }), ["not_found"], false),
  edit(
    "state",
    "a cancelled post",
    ({ cancelledId }) => ({ post_ids: [cancelledId], caption: "New" }),
    ["invalid_state post_ids[0]"],
    false,
  ),
  edit("state", "nothing", () => ({}), ["no_changes"], false),
  edit(
    "state",
    "an account that the post does not have",
    ({ accounts }) => ({
      target_options: [{ account_id: accounts.threads, caption: "New" }],
    }),
    ["account_not_on_post target_options[0].account_id"],
    false,
  ),
  edit("state", "a post twice", ({ scheduledId }) => ({ post_ids: [scheduledId, scheduledId], caption: "New" }), [
    "duplicate_post post_ids[1]",
  ]),

  preview(
    "arguments",
    "three mistakes at once",
    () => ({
      scheduled_at: "tomorrow",
      time_zone: "Berlin",
      account_ids: undefined,
      platforms: ["twitter"],
    }),
    ["invalid_format scheduled_at", "invalid_value time_zone", "invalid_value platforms[0]"],
  ),
];
