import type { Author } from "#core/actor.ts";
import type { AlertKind } from "#core/alert.ts";
import { firstWords, toVisibleLine } from "#core/text.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";
import { ACCOUNT_POSTS_MAX } from "#posts/index.ts";
import { OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";
import type { Notice, NoticeAccount, NoticePost, NoticeProblem, NoticeSubject, NoticeWebhook } from "./types.ts";

const NAMED_POSTS = 3;

const problems = (state: "failed" | "unconfirmed") =>
  `(SELECT json_group_array(json_object('position', t.position, 'platform', t.platform, 'username', t.username,
      'message', t.error ->> '$.message')) FROM post_targets t WHERE t.post_id = p.id AND t.state = '${state}')`;

const postObject = (problemsSql: string) =>
  `(SELECT json_object('post', json_object('id', p.id, 'caption', substr(p.caption, 1, 140), 'scheduledAt', p.scheduled_at),
      'problems', json(${problemsSql})) FROM posts p WHERE p.id = n.subject_id AND p.workspace_id = n.workspace_id)`;

const ACCOUNT =
  "json_object('id', a.id, 'platform', a.platform, 'username', a.username, 'displayName', a.display_name)";

const WEBHOOK = "json_object('id', h.id, 'url', h.url, 'description', h.description)";

/**
 * SQL for the open targets of account `a` that are due after login `c` ends. The cross join keeps SQLite from starting
 * with all posts.
 */
export const TARGETS_AFTER_LOGIN = `post_targets t CROSS JOIN posts p ON p.id = t.post_id
  WHERE t.account_id = a.id AND t.due_at > c.ends_at AND t.state IN ${OPEN_STATES_SQL} AND p.status IN ('scheduled', 'paused')`;

const ACCOUNT_ENDING = `(SELECT json_object('account', ${ACCOUNT}, 'endsAt', c.ends_at,
      'postsAfter', (SELECT count(*) FROM (SELECT 1 FROM ${TARGETS_AFTER_LOGIN} LIMIT ${ACCOUNT_POSTS_MAX + 1})),
      'firstPosts', json((SELECT json_group_array(json_object('id', id, 'caption', caption, 'scheduledAt', scheduled_at)) FROM (
        SELECT p.id AS id, substr(p.caption, 1, 140) AS caption, p.scheduled_at AS scheduled_at FROM ${TARGETS_AFTER_LOGIN}
        ORDER BY t.due_at LIMIT ${NAMED_POSTS}))))
    FROM accounts a JOIN connections c ON c.id = a.connection_id
    WHERE a.id = n.subject_id AND a.workspace_id = n.workspace_id AND a.disconnected_at IS NULL AND c.ends_at IS NOT NULL)`;

/** SQL columns for a notice `n` with the present state of its subject, so that one statement reads both. */
export const NOTICE_COLUMNS = `n.kind AS kind, n.subject_id AS subject_id, n.at AS at, CASE n.kind
  WHEN 'post_failed' THEN ${postObject(problems("failed"))}
  WHEN 'post_unconfirmed' THEN ${postObject(problems("unconfirmed"))}
  WHEN 'account_needs_reconnect' THEN (SELECT json_object('account', ${ACCOUNT}, 'reason', a.status_reason) FROM accounts a
    WHERE a.id = n.subject_id AND a.workspace_id = n.workspace_id AND a.disconnected_at IS NULL)
  WHEN 'account_expires_soon' THEN ${ACCOUNT_ENDING}
  WHEN 'webhook_disabled' THEN (SELECT json_object('webhook', ${WEBHOOK}, 'reason', h.disabled_reason) FROM webhooks h WHERE h.id = n.subject_id AND h.workspace_id = n.workspace_id)
  WHEN 'webhook_made' THEN (SELECT json_object('webhook', ${WEBHOOK}, 'by', json(h.made_by)) FROM
      webhooks h WHERE h.id = n.subject_id AND h.workspace_id = n.workspace_id AND h.made_by IS NOT NULL)
  WHEN 'subscription_ends' THEN (SELECT json_object('status', s.status, 'endsAt', s.current_period_end) FROM subscriptions s
    WHERE s.user_id = n.subject_id)
  END AS subject`;

export interface NoticeRow {
  readonly kind: AlertKind;
  readonly subject_id: string;
  readonly at: number;
  /** The notice's subject as JSON. Null if the subject no longer exists. */
  readonly subject: string | null;
}

interface PostObject {
  readonly id: string;
  readonly caption: string;
  readonly scheduledAt: number;
}

/** The members that a notice's subject can have, for all kinds together. */
interface SubjectObject {
  readonly post: PostObject;
  readonly problems: readonly (NoticeProblem & { readonly position: number })[];
  readonly account: NoticeAccount;
  readonly reason: string | null;
  readonly endsAt: number;
  readonly postsAfter: number;
  readonly firstPosts: readonly PostObject[];
  readonly webhook: NoticeWebhook;
  readonly by: Author;
  readonly status: string;
}

function toNoticePost({ id, caption, scheduledAt }: PostObject): NoticePost {
  return { id, firstWords: firstWords(caption), scheduledAt };
}

function toProblem({ platform, username, message }: NoticeProblem): NoticeProblem {
  return { platform, username: toVisibleLine(username), message: message === null ? null : toVisibleLine(message) };
}

function toNoticeAccount({ id, platform, username, displayName }: NoticeAccount): NoticeAccount {
  return { id, platform, username: toVisibleLine(username), displayName: toVisibleLine(displayName) };
}

function toNoticeWebhook({ id, url, description }: NoticeWebhook): NoticeWebhook {
  return { id, url: toVisibleLine(url), description: toVisibleLine(description) };
}

function toSubject(kind: AlertKind, data: SubjectObject): NoticeSubject {
  switch (kind) {
    case "post_failed":
    case "post_unconfirmed": {
      const inOrder = data.problems.toSorted((a, b) => a.position - b.position).map(toProblem);
      return { kind, post: toNoticePost(data.post), problems: inOrder };
    }
    case "account_needs_reconnect":
      return {
        kind,
        account: toNoticeAccount(data.account),
        reason: data.reason === null ? null : toVisibleLine(data.reason),
      };
    case "account_expires_soon":
      return {
        kind,
        account: toNoticeAccount(data.account),
        endsAt: data.endsAt,
        postsAfter: data.postsAfter,
        firstPosts: data.firstPosts.map(toNoticePost),
      };
    case "webhook_disabled":
      return { kind, webhook: toNoticeWebhook(data.webhook), reason: data.reason as WebhookDisabledReason };
    case "webhook_made":
      return {
        kind,
        webhook: toNoticeWebhook(data.webhook),
        by: { kind: data.by.kind, name: toVisibleLine(data.by.name) },
      };
    case "subscription_ends":
      return { kind, endsAt: data.status === "canceled" ? null : data.endsAt, isTrial: data.status === "trialing" };
  }
}

function pathOf(subject: NoticeSubject): string {
  switch (subject.kind) {
    case "post_failed":
    case "post_unconfirmed":
      return `/dashboard/posts/${subject.post.id}`;
    case "account_needs_reconnect":
    case "account_expires_soon":
      return `/dashboard/accounts#account-${subject.account.id}`;
    case "webhook_disabled":
    case "webhook_made":
      return `/webhooks/${subject.webhook.id}`;
    case "subscription_ends":
      return "/dashboard/plan";
  }
}

/** Builds a notice from its row. Null if the subject of the notice no longer exists. */
export function toNotice(row: NoticeRow): Notice | null {
  if (row.subject === null) {
    return null;
  }
  const subject = toSubject(row.kind, JSON.parse(row.subject) as SubjectObject);
  return { kind: row.kind, subjectId: row.subject_id, at: row.at, subject, path: pathOf(subject) };
}
