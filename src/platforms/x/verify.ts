import type { JsonValue } from "#core/json.ts";
import { SECOND } from "#core/clock.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearer, withQuery } from "#platforms/form.ts";
import { later } from "#platforms/later.ts";
import { type ListedPost, PostList } from "./answers.ts";
import { postUrl, quotedOf } from "./commit.ts";
import { DUPLICATE, toFault } from "./errors.ts";
import { API } from "./hosts.ts";
import { Ref } from "./refs.ts";
import { fingerprint, likeness, unescapeHtml } from "./text.ts";

/**
 * A new post shows up in the author's list within seconds; one look is not enough to deny it. The second one is early
 * enough for a post that a crash cut off to be sent within a minute, and X's own duplicate guard stands behind it.
 */
const FIRST_LOOK_MS = 15 * SECOND;
const SECOND_LOOK_MS = 55 * SECOND;
const LOOK_BACK_MS = 60 * SECOND;
/** Our clock against X's, and X's whole seconds. */
const CLOCK_SLACK_MS = 10 * SECOND;
const LATER_SECONDS = 60;
const MOST_PAGES = 5;
/** Below this X's own duplicate guard cannot be relied on, so nothing is ever sent twice. */
const SHORTEST_FINGERPRINT = 10;
const FIELDS = "created_at,text,entities,attachments,note_tweet,referenced_tweets";

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = Ref.parse(ref);
  const committedAt = job.committedAt ?? plan.sentAt ?? job.now;
  const elapsed = job.now - Math.max(committedAt, plan.sentAt ?? 0);
  if (elapsed < FIRST_LOOK_MS) {
    return later(FIRST_LOOK_MS - elapsed);
  }
  const listed = await listSince(client, job, committedAt - LOOK_BACK_MS);
  if (!listed.ok) {
    return { state: "again", afterSeconds: listed.afterSeconds, known: false };
  }
  const recent = listed.posts.filter((post) => isSince(post, committedAt - CLOCK_SLACK_MS));
  const ours = recent.findLast((post) => isOurs(post, job, plan));
  if (ours) {
    return { state: "published", remoteId: ours.id, url: postUrl(job, ours.id) };
  }
  if (elapsed < SECOND_LOOK_MS) {
    return later(SECOND_LOOK_MS - elapsed);
  }
  if (recent.some((post) => likeness(restored(post, job)) === likeness(job.caption))) {
    return { state: "cannot_tell", detail: "a very similar post is there" };
  }
  return denied(job, plan, committedAt);
}

function denied(job: Job, plan: Ref, committedAt: number): VerifyOutcome {
  const sentBefore = plan.sends > 1 || (plan.sentAt !== null && plan.sentAt - committedAt > LOOK_BACK_MS);
  if (sentBefore) {
    return { state: "cannot_tell", detail: "sent twice and not found" };
  }
  if (plan.duplicate) {
    const source = { httpStatus: 403, platformCode: null };
    const message = "X refused the text: this account has just posted the same.";
    return { state: "refused", fault: rejected(message, source, { code: DUPLICATE, category: "duplicate" }) };
  }
  if (job.account.app.settings["RESEND"] === "never" || fingerprint(job.caption).length < SHORTEST_FINGERPRINT) {
    return { state: "cannot_tell", detail: "not found, and a second post could not be ruled out" };
  }
  return { state: "absent" };
}

type Listed =
  | { readonly ok: true; readonly posts: readonly ListedPost[] }
  | { readonly ok: false; readonly afterSeconds: number };

/** Every post of the account from then on, newest first; half a list would deny what is there. */
async function listSince(client: PlatformClient, job: Job, since: number): Promise<Listed> {
  const posts: ListedPost[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = withQuery(`${API}/2/users/${encodeURIComponent(job.account.platformAccountId)}/tweets`, {
      max_results: 100,
      start_time: `${new Date(since).toISOString().slice(0, 19)}Z`,
      exclude: "retweets",
      "tweet.fields": FIELDS,
      pagination_token: nextToken,
    });
    const answer = await call(client, url, { headers: bearer(job.account.accessToken) });
    const list = isOk(answer) ? read(PostList, answer) : undefined;
    if (!list) {
      const wait = isOk(answer) ? undefined : toFault(answer, job.now).retryAfterSeconds;
      return { ok: false, afterSeconds: wait ?? LATER_SECONDS };
    }
    posts.push(...(list.data ?? []));
    if (!list.meta.next_token) {
      return { ok: true, posts };
    }
    nextToken = list.meta.next_token;
  }
  return { ok: false, afterSeconds: LATER_SECONDS };
}

function isSince(post: ListedPost, since: number): boolean {
  const createdAt = Date.parse(post.created_at ?? "");
  return !Number.isFinite(createdAt) || createdAt >= since;
}

function isOurs(post: ListedPost, job: Job, plan: Ref): boolean {
  const keys = post.attachments?.media_keys ?? [];
  if (plan.mediaKeys.length > 0 && plan.mediaKeys.every((key) => keys.includes(key))) {
    return true;
  }
  const wanted = fingerprint(job.caption);
  return wanted !== "" && keys.length === plan.mediaIds.length && fingerprint(restored(post, job)) === wanted;
}

/** The text as it was sent: entities and short addresses undone, the address of our media and of the quoted post left out. */
function restored(post: ListedPost, job: Job): string {
  const long = post.note_tweet ?? post.note_post;
  const entities = (long ?? post).entities;
  const quote = quotedOf(job);
  let text = unescapeHtml(long?.text ?? post.text ?? "");
  for (const { url, expanded_url: expanded } of entities?.urls ?? []) {
    const isAppended =
      /\/status\/\d+\/(?:photo|video)\//.test(expanded ?? "") || (quote && expanded?.includes(`/status/${quote.id}`));
    text = text.replace(url, isAppended ? "" : (expanded ?? url));
  }
  return text;
}
