import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { withQuery } from "#platforms/form.ts";
import { later } from "#platforms/later.ts";
import { type ListedPost, PostList } from "./answers.ts";
import { canList } from "./commit.ts";
import { answersTo } from "./connect.ts";
import { toFault } from "./errors.ts";
import { API, postUrl, restHeaders } from "./hosts.ts";
import { Ref } from "./refs.ts";
import { fromLittleText } from "./text.ts";

/** A member's post is sent once more after this, and by then the first one is known to LinkedIn's guard if it arrived. */
const RESEND_FROM_MS = 45 * SECOND;
/** LinkedIn refuses an identical post for about ten minutes; past nine nothing is sent any more. */
const RESEND_UNTIL_MS = 9 * MINUTE;
const LATER_SECONDS = 30;

/** Two looks before a page's post is denied, the second within a minute; LinkedIn's duplicate guard stands behind it. */
const FIRST_LOOK_MS = 15 * SECOND;
const SECOND_LOOK_MS = 55 * SECOND;
const CLOCK_SLACK_MS = 10 * SECOND;
const PER_PAGE = 100;
const MOST_PAGES = 8;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = Ref.parse(ref);
  return canList(job) ? await lookAtPage(client, job, plan) : await askByResending(client, job, plan);
}

/**
 * A member's posts cannot be read. The identical call once more is the question: LinkedIn either refuses it and names the
 * post, or the first one had not arrived. That holds for some minutes only, and only once.
 */
async function askByResending(client: PlatformClient, job: Job, plan: Ref): Promise<VerifyOutcome> {
  const elapsed = job.now - firstSent(job, plan);
  if (plan.duplicate) {
    return { state: "cannot_tell", detail: "LinkedIn says that the same post is there and does not name it" };
  }
  if (plan.sends > 1 || neverAgain(job) || elapsed >= RESEND_UNTIL_MS) {
    return { state: "cannot_tell", detail: "LinkedIn lets nobody look at a member's posts" };
  }
  if (elapsed < RESEND_FROM_MS) {
    return later(RESEND_FROM_MS - elapsed);
  }
  // The one repetition is not spent on a platform that does not answer.
  const profile = job.account.capabilities["profile"] === "me" ? "me" : "userinfo";
  const answered = await answersTo(client, profile, job.account.accessToken);
  if (answered.ok) {
    return { state: "absent" };
  }
  return answered.fault.kind === "reconnect"
    ? { state: "refused", fault: answered.fault }
    : { state: "again", afterSeconds: answered.fault.retryAfterSeconds ?? LATER_SECONDS, known: false };
}

async function lookAtPage(client: PlatformClient, job: Job, plan: Ref): Promise<VerifyOutcome> {
  const since = firstSent(job, plan) - CLOCK_SLACK_MS;
  const elapsed = job.now - Math.max(firstSent(job, plan), plan.sentAt ?? 0);
  if (elapsed < FIRST_LOOK_MS) {
    return later(FIRST_LOOK_MS - elapsed);
  }
  const listed = await listSince(client, job, since);
  if (!listed.ok) {
    return listed.outcome;
  }
  const ours = listed.posts.findLast((post) => isOurs(post, job, plan, since));
  if (ours) {
    return { state: "published", remoteId: ours.id, url: postUrl(ours.id) };
  }
  if (elapsed < SECOND_LOOK_MS) {
    return later(SECOND_LOOK_MS - elapsed);
  }
  return plan.sends > 1 || plan.duplicate || neverAgain(job)
    ? { state: "cannot_tell", detail: "not found among the page's posts" }
    : { state: "absent" };
}

function firstSent(job: Job, plan: Ref): number {
  return Math.min(job.committedAt ?? job.now, plan.firstSentAt ?? job.now);
}

function neverAgain(job: Job): boolean {
  return job.account.app.settings["RESEND"] === "never";
}

type Listed =
  | { readonly ok: true; readonly posts: readonly ListedPost[] }
  | { readonly ok: false; readonly outcome: VerifyOutcome };

/** Every post of the page since then, last changed first; half a list would deny what is there. */
async function listSince(client: PlatformClient, job: Job, since: number): Promise<Listed> {
  const { app, accessToken, platformAccountId } = job.account;
  const posts: ListedPost[] = [];
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = withQuery(`${API}/rest/posts`, {
      q: "author",
      author: platformAccountId,
      start: page * PER_PAGE,
      count: PER_PAGE,
      sortBy: "LAST_MODIFIED",
    });
    const headers = { ...restHeaders(app, accessToken), "x-restli-method": "FINDER" };
    const answer = await call(client, url, { headers });
    const list = isOk(answer) ? read(PostList, answer)?.elements : undefined;
    if (!list) {
      const fault = isOk(answer) || answer.status < 400 ? null : toFault(answer, job.now);
      return fault?.kind === "reconnect"
        ? { ok: false, outcome: { state: "refused", fault } }
        : { ok: false, outcome: later((fault?.retryAfterSeconds ?? LATER_SECONDS) * SECOND) };
    }
    posts.push(...list);
    const isPast = list.some((post) => (post.createdAt ?? Number.POSITIVE_INFINITY) < since);
    if (list.length < PER_PAGE || isPast) {
      return { ok: true, posts };
    }
  }
  return { ok: false, outcome: later(LATER_SECONDS * SECOND) };
}

function isOurs(post: ListedPost, job: Job, plan: Ref, since: number): boolean {
  const urns = mediaOf(post);
  if (plan.urns.length > 0) {
    // An upload belongs to one post alone.
    return plan.urns.some((urn) => urns.includes(urn));
  }
  return (
    (post.createdAt ?? post.publishedAt ?? 0) >= since &&
    urns.length === 0 &&
    plain(fromLittleText(post.commentary ?? "")) === plain(job.caption)
  );
}

function mediaOf(post: ListedPost): readonly string[] {
  return [post.content?.media?.id, ...(post.content?.multiImage?.images ?? []).map((image) => image.id)].filter(
    (id) => typeof id === "string",
  );
}

function plain(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}
