import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { comparableText } from "./comparable-text.ts";
import type { Job, PlatformClient, Result, OptionField } from "./contract.ts";
import type { AddedExtra, Extra, PublicPost } from "./extras.ts";
import { succeeded } from "./fault.ts";
import { atMost } from "./options.ts";

/* The account's own comment below its post. The service sends it after the post is public. */

/** The schema of the option. `max` counts UTF-16 units, the strictest usual meaning of "characters". */
export function firstCommentOption(max: number) {
  return {
    first_comment: z
      .string()
      .check(atMost(max, "characters", (value) => value.length))
      .refine((value) => value.trim() !== "", "must not be blank")
      .optional()
      .describe(`A comment of the account below the post, sent once the post is public: up to ${max} characters`),
  };
}

export const FIRST_COMMENT_FIELD = {
  label: "First comment",
  hint: "Your own comment below the post, sent once the post is public.",
  input: "lines",
} as const satisfies OptionField;

/** The text of the first comment. Null if the target has none. */
export function firstCommentOf({ first_comment: text }: JsonObject): string | null {
  return typeof text === "string" && text.trim() !== "" ? text : null;
}

export interface ListedComment extends AddedExtra {
  readonly text: string | null | undefined;
  /** Whether the post's account wrote the comment. */
  readonly isOwn: boolean;
}

interface CommentCalls {
  /** Sends the comment. Null means that the outcome is unknown. */
  send(client: PlatformClient, job: Job, post: PublicPost, text: string): Promise<Result<AddedExtra> | null>;
  /** Lists all comments on the post. A list that cannot be read completely is a definite refusal. */
  list(client: PlatformClient, job: Job, post: PublicPost): Promise<Result<readonly ListedComment[]>>;
}

/**
 * Adds the first comment. A sent comment is recognized by its text among the account's own comments: the post is new,
 * so none of them is older.
 */
export function firstComment(calls: CommentCalls): Extra {
  return {
    name: "first_comment",
    count: ({ options }) => (firstCommentOf(options) === null ? 0 : 1),
    send: async (client, job, post) => await calls.send(client, job, post, firstCommentOf(job.options) ?? ""),
    look: async (client, job, post) => {
      const listed = await calls.list(client, job, post);
      if (!listed.ok) {
        return listed;
      }
      const text = comparableText(firstCommentOf(job.options));
      const found = listed.value.find((comment) => comment.isOwn && comparableText(comment.text) === text);
      return succeeded(found ? { id: found.id, url: found.url } : null);
    },
  };
}
