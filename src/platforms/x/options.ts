import { hostMatches } from "#core/host-patterns.ts";
import { z } from "@hono/zod-openapi";
import { commonOptions } from "#platforms/options.ts";

const REPLY_SETTINGS = ["following", "mentionedUsers", "subscribers", "verified"] as const;

const POST_ID = /^\d{1,19}$/;
const STATUS_PATH = /^\/(?:(\w{1,20}|i\/web)\/)?status(?:es)?\/(\d{1,19})(?:\/|$)/;
const POST_HOSTS = ["x.com", "*.x.com", "twitter.com", "*.twitter.com"];

export interface QuotedPost {
  readonly id: string;
  /** The URL that X displays as a quote when a text contains it. */
  readonly link: string;
}

/** Accepts a post id or the URL of a post on x.com or twitter.com. */
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

export const options = z.looseObject({
  quote_tweet_url: z
    .string()
    .refine((value) => parseQuotedPost(value) !== null, "must be the URL of a post on x.com or its id")
    .optional()
    .describe("URL or id of the post to quote"),
  reply_settings: z.enum(REPLY_SETTINGS).nullable().default(null).describe("Who can reply; null is everyone"),
  ...commonOptions,
});

export type QuoteMode = "native" | "link" | "native_then_link";

/**
 * Since 20 April 2026 only enterprise apps may quote through the API: for the others the URL of the quoted post is
 * appended to the text.
 */
export function quoteMode(settings: Readonly<Record<string, string>>): QuoteMode {
  const mode = settings["QUOTE_MODE"];
  return mode === "native" || mode === "link" ? mode : "native_then_link";
}
