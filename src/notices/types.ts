import type { Author } from "#core/actor.ts";
import type { AlertKind } from "#core/alert.ts";
import type { Platform } from "#core/platform.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";

/** A target that failed or is unconfirmed. */
export interface NoticeProblem {
  readonly platform: Platform;
  readonly username: string;
  /** What the platform said; null if it said nothing. */
  readonly message: string | null;
}

export interface NoticeAccount {
  readonly id: string;
  readonly platform: Platform;
  readonly username: string;
  readonly displayName: string;
}

export interface NoticeWebhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
}

export interface NoticePost {
  readonly id: string;
  /** The first words of the post on one line. Empty for a post without text. */
  readonly firstWords: string;
  readonly scheduledAt: number;
}

/** What a notice is about, in its present state. */
export type NoticeSubject =
  | {
      readonly kind: "post_failed" | "post_unconfirmed";
      readonly post: NoticePost;
      /** The targets with a problem, in the order of the post's targets. */
      readonly problems: readonly NoticeProblem[];
    }
  | {
      readonly kind: "account_needs_reconnect";
      readonly account: NoticeAccount;
      /** Why the account needs a new login, for the user. Null if the platform gave no reason. */
      readonly reason: string | null;
    }
  | {
      readonly kind: "account_expires_soon";
      readonly account: NoticeAccount;
      readonly endsAt: number;
      /** How many posts need the login after it ends. Counting stops at `ACCOUNT_POSTS_MAX + 1`. */
      readonly postsAfter: number;
      readonly firstPosts: readonly NoticePost[];
    }
  | {
      readonly kind: "webhook_disabled";
      readonly webhook: NoticeWebhook;
      readonly reason: WebhookDisabledReason;
    }
  | {
      readonly kind: "webhook_made";
      readonly webhook: NoticeWebhook;
      readonly by: Pick<Author, "kind" | "name">;
    }
  | {
      readonly kind: "subscription_ends";
      readonly endsAt: number | null;
      readonly isTrial: boolean;
    };

/** Something on which the owner of a workspace should act. */
export interface Notice {
  readonly kind: AlertKind;
  /** What the notice is about. `dismissNotice` takes it with `kind` and `at`. */
  readonly subjectId: string;
  readonly at: number;
  readonly subject: NoticeSubject;
  /** The page on which the owner acts, as a path on the service's origin. */
  readonly path: string;
}

/** A notice in plain sentences. Texts of users and platforms in it are one line, and are not escaped. */
export interface NoticeText {
  readonly title: string;
  /** Sentences that say what happened and what to do. */
  readonly lines: readonly string[];
  /** The text of the link to the page on which the owner acts. */
  readonly action: string;
}
