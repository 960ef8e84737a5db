import { z } from "@hono/zod-openapi";
import { hostMatches } from "#core/host-patterns.ts";
import { type OptionForm, FIT_FIELD, THREAD_FIELD } from "#platforms/contract.ts";
import { atMost, choiceOf, commonOptions, fitOption } from "#platforms/options.ts";
import { threadOption } from "#platforms/thread.ts";
import { TAGGED_USERS_MAX } from "./limits.ts";

/** How many options a poll has: docs.x.com/x-api/posts/create-post, `poll` (OpenAPI 2.166). */
const POLL_OPTIONS = { min: 2, max: 4 } as const;
const POLL_OPTION_MAX = 25;
const POLL_MINUTES = { min: 5, max: 10_080 } as const;
const POST_ID = /^\d{1,19}$/;
const STATUS_PATH = /^\/(?:(\w{1,20}|i\/web)\/)?status(?:es)?\/(\d{1,19})(?:\/|$)/;
const POST_HOSTS = ["x.com", "*.x.com", "twitter.com", "*.twitter.com"];

export interface QuotedPost {
  readonly id: string;
  /** The URL that X displays as a quote if a text contains it. */
  readonly link: string;
}

/** Reads a quoted post: a post id, or the URL of a post on x.com or twitter.com. */
export function parseQuotedPost(value: string): QuotedPost | null {
  const text = value.trim();
  if (POST_ID.test(text)) {
    return { id: text, link: `https://x.com/i/status/${text}` };
  }
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !hostMatches(POST_HOSTS, url.hostname)) {
    return null;
  }
  const [, handle, id] = STATUS_PATH.exec(url.pathname) ?? [];
  if (!id) {
    return null;
  }
  return { id, link: `https://x.com/${handle && handle !== "i/web" ? handle : "i"}/status/${id}` };
}

function isPollDuration(minutes: number): boolean {
  return minutes >= POLL_MINUTES.min && minutes <= POLL_MINUTES.max;
}

/**
 * The options of a post on X. docs.x.com/x-api/posts/create-post: `reply_settings`, `poll`, `community_id`,
 * `made_with_ai`, `paid_partnership`, `quote_tweet_id`, `media.tagged_user_ids`; poll, quote and media exclude each
 * other there.
 */
export const options = z.looseObject({
  quote_tweet_url: z
    .string()
    .refine((value) => parseQuotedPost(value) !== null, "must be the URL of a post on x.com or its id")
    .optional()
    .describe("URL or id of the post to quote"),
  reply_settings: choiceOf({
    following: "Accounts that the author follows.",
    mentionedUsers: "Accounts that the post mentions.",
    subscribers: "Accounts that subscribe to the author.",
    verified: "Verified accounts.",
  })
    .nullable()
    .default(null)
    .describe("Who can reply; null is everyone"),
  poll: z
    .strictObject({
      options: z
        .array(
          z
            .string()
            .min(1)
            .check(atMost(POLL_OPTION_MAX, "characters", (value) => value.length)),
        )
        .min(POLL_OPTIONS.min)
        .max(POLL_OPTIONS.max)
        .describe("The answers"),
      duration_minutes: z
        .int()
        .refine(isPollDuration, `must be ${POLL_MINUTES.min} to ${POLL_MINUTES.max} minutes`)
        .describe("How long it is open"),
    })
    .optional()
    .describe(
      `A poll of ${POLL_OPTIONS.min} to ${POLL_OPTIONS.max} answers of up to ${POLL_OPTION_MAX} characters, open for ${POLL_MINUTES.min} to ${POLL_MINUTES.max} minutes; without media and quote`,
    ),
  community_id: z
    .string()
    .regex(POST_ID, "must be the id of a community")
    .optional()
    .describe("Id of the community to post to"),
  made_with_ai: z.boolean().optional().describe("Labels the media as made with AI"),
  paid_partnership: z.boolean().optional().describe("Labels the post as a paid partnership"),
  tagged_user_ids: z
    .array(z.string().regex(POST_ID, "must be the id of a user of X"))
    .max(TAGGED_USERS_MAX)
    .optional()
    .describe(`Ids of up to ${TAGGED_USERS_MAX} users to tag in the media`),
  ...threadOption,
  ...fitOption,
  ...commonOptions,
});

export type QuoteMode = "native" | "link" | "native_then_link";

/**
 * How a post quotes another. Since 20 April 2026 only Enterprise apps may quote through the API
 * (https://docs.x.com/changelog, 16 April 2026; the warning of https://docs.x.com/x-api/posts/create-post). For other
 * apps, the text ends with the quoted post's URL.
 */
export function quoteMode(settings: Readonly<Record<string, string>>): QuoteMode {
  const mode = settings["QUOTE_MODE"];
  return mode === "native" || mode === "native_then_link" ? mode : "link";
}

export const optionForm = {
  fields: {
    reply_settings: {
      label: "Who can reply",
      choices: {
        "": "Everyone",
        following: "Accounts you follow",
        mentionedUsers: "Mentioned accounts only",
        subscribers: "Subscribers",
        verified: "Verified accounts",
      },
    },
    made_with_ai: {
      label: "Made with AI",
      hint: "X labels the media.",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
      onlyFor: "media",
    },
    paid_partnership: {
      label: "Paid partnership",
      hint: "X labels the post.",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
    },
    "poll.options": {
      label: "Answers of a poll",
      hint: "Two to four, separated by commas.",
      input: "words",
      group: "Poll",
      onlyFor: "text",
    },
    "poll.duration_minutes": { label: "Open for", hint: "In minutes: 1440 is a day.", group: "Poll", onlyFor: "text" },
    community_id: { label: "Community", hint: "The number in its address on X.", group: "More" },
    tagged_user_ids: {
      onlyFor: "media",
      label: "People in the media",
      hint: "Ids of users, separated by commas.",
      input: "words",
    },
    quote_tweet_url: { label: "Quote a post", hint: "The address of the post on X." },
    fit: FIT_FIELD,
    thread: THREAD_FIELD,
  },
} as const satisfies OptionForm;
