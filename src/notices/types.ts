import type { AlertKind } from "#core/alert.ts";
import type { Platform } from "#core/platform.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";

/** A target that was not published, or may not have been. */
export interface NoticeProblem {
  readonly platform: Platform;
  readonly username: string;
  /** What the platform said; null where it said nothing. */
  readonly message: string | null;
}

export interface NoticeAccount {
  readonly id: string;
  readonly platform: Platform;
  readonly username: string;
  readonly displayName: string;
}

export interface NoticePost {
  readonly id: string;
  /** On one line; empty for a post without text. */
  readonly firstWords: string;
  readonly scheduledAt: number;
}

/** What a notice is about, as it is now. */
export type NoticeSubject =
  | {
      readonly kind: "post_failed" | "post_unconfirmed";
      readonly post: NoticePost;
      /** In the order of the post. */
      readonly problems: readonly NoticeProblem[];
    }
  | {
      readonly kind: "account_needs_reconnect";
      readonly account: NoticeAccount;
      /** Shown to the user; null where the platform gave none. */
      readonly reason: string | null;
    }
  | {
      readonly kind: "account_expires_soon";
      readonly account: NoticeAccount;
      readonly endsAt: number;
      /** How many posts need the login after its end; bounded by `ACCOUNT_POSTS_MAX + 1`. */
      readonly postsAfter: number;
      /** The first of them, by time. */
      readonly firstPosts: readonly NoticePost[];
    }
  | {
      readonly kind: "webhook_disabled";
      readonly webhook: { readonly id: string; readonly url: string; readonly description: string };
      readonly reason: WebhookDisabledReason;
    }
  | {
      readonly kind: "subscription_ends";
      /** Null when it has ended. */
      readonly endsAt: number | null;
      readonly isTrial: boolean;
    };

/** Something that the owner of a workspace should act on. */
export interface Notice {
  readonly kind: AlertKind;
  /** With `kind` and `at`, what `dismissNotice` takes. */
  readonly subjectId: string;
  readonly at: number;
  readonly subject: NoticeSubject;
  /** The page on which the owner acts; a path on the origin of the service. */
  readonly path: string;
}

/** A notice in plain sentences; texts of users and platforms in them are one line and not escaped. */
export interface NoticeText {
  readonly title: string;
  /** What happened in detail, and what to do. */
  readonly lines: readonly string[];
  /** The words of the link to `path`. */
  readonly action: string;
}
