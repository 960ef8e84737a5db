import { SECOND } from "#core/clock.ts";
import { isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, Wire } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { graphGet, nextCursor } from "#platforms/graph.ts";
import { type ListedPost, PostList, VideoList } from "./answers.ts";
import { labelOf, permalinkOf } from "./commit.ts";
import { DUPLICATE } from "./errors.ts";
import { graphOf } from "./hosts.ts";
import type { Ref } from "./refs.ts";
import { verifyVideo } from "./verify-video.ts";

const FIRST_LOOK_MS = 10 * SECOND;
const SECOND_LOOK_MS = 60 * SECOND;
/** Three looks over three minutes, and then it is not there. */
const DENIAL_MS = 180 * SECOND;
const CLOCK_SLACK_MS = 60 * SECOND;
const LATER_SECONDS = 60;
const MOST_PAGES = 4;
const POST_FIELDS =
  "id,message,created_time,permalink_url,application{id},attachments{target{id},subattachments.limit(20){target{id}}}";

type Look =
  | { readonly state: "found"; readonly id: string; readonly url: string | null }
  | { readonly state: "none" | "alike" | "unreadable" };

/** Posts without a handle of their own are looked for among what the Page has published since. */
export async function verifyFeed(wire: Wire, job: Job, plan: Ref): Promise<VerifyOutcome> {
  const committedAt = job.committedAt ?? plan.sentAt ?? job.now;
  const elapsed = job.now - Math.max(committedAt, plan.sentAt ?? 0);
  if (elapsed < FIRST_LOOK_MS) {
    return later(FIRST_LOOK_MS - elapsed);
  }
  const since = committedAt - CLOCK_SLACK_MS;
  const look = plan.kind === "video" ? await findVideo(wire, job, since) : await findPost(wire, job, plan, since);
  if (look.state === "found") {
    return plan.kind === "video"
      ? await verifyVideo(wire, job, { ...plan, accepted: true }, look.id)
      : { state: "published", remoteId: look.id, url: look.url ?? `https://www.facebook.com/${look.id}` };
  }
  if (look.state === "unreadable") {
    return { state: "again", afterSeconds: LATER_SECONDS, known: false };
  }
  const nextLookMs = [SECOND_LOOK_MS, DENIAL_MS].find((at) => elapsed < at);
  if (nextLookMs !== undefined) {
    return later(nextLookMs - elapsed);
  }
  if (look.state === "alike" || plan.sends > 1) {
    return {
      state: "cannot_tell",
      detail: look.state === "alike" ? "a very similar post is there" : "sent twice and not found",
    };
  }
  if (plan.duplicate) {
    const message = "Facebook refused the post: the Page has just posted the same.";
    return {
      state: "refused",
      fault: rejected(message, { httpStatus: 400, platformCode: "506" }, { code: DUPLICATE, category: "duplicate" }),
    };
  }
  return { state: "absent" };
}

function later(milliseconds: number): VerifyOutcome {
  return { state: "again", afterSeconds: Math.ceil(milliseconds / SECOND), known: false };
}

function plain(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

async function findPost(wire: Wire, job: Job, plan: Ref, since: number): Promise<Look> {
  const posts: ListedPost[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/published_posts`;
    const answer = await graphGet(wire, url, job.account.accessToken, {
      fields: POST_FIELDS,
      since: Math.floor((since - CLOCK_SLACK_MS) / SECOND),
      limit: 25,
      after,
    });
    const list = isOk(answer) ? read(PostList, answer) : undefined;
    if (!list) {
      return { state: "unreadable" };
    }
    posts.push(...list.data);
    after = nextCursor(list.paging);
    if (after === undefined) {
      break;
    }
  }
  const ours = posts.find((post) => targetsOf(post).some((id) => plan.photos.includes(id)));
  // The photos' ids decide; where a list does not name them, what decides for texts has to do.
  return ours
    ? found(ours)
    : byText(
        posts.filter((post) => plan.photos.length === 0 || targetsOf(post).length === 0),
        job,
        since,
      );
}

function targetsOf(post: ListedPost): readonly string[] {
  const attachments = post.attachments?.data ?? [];
  return attachments
    .flatMap((attachment) => [attachment, ...(attachment.subattachments?.data ?? [])])
    .flatMap((attachment) => attachment.target?.id ?? []);
}

/** The Page's owner may have written the same by hand: only our app's post is ours. */
function byText(posts: readonly ListedPost[], job: Job, since: number): Look {
  const same = posts.filter(
    (post) => plain(post.message ?? "") === plain(job.caption) && Date.parse(post.created_time ?? "") >= since,
  );
  const [ours, ...others] = same.filter((post) => post.application?.id === job.account.app.clientId);
  if (ours && others.length === 0) {
    return found(ours);
  }
  return { state: same.length > 0 ? "alike" : "none" };
}

function found(post: ListedPost): Look {
  return { state: "found", id: post.id, url: permalinkOf(post.permalink_url) };
}

async function findVideo(wire: Wire, job: Job, since: number): Promise<Look> {
  const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/videos`;
  const answer = await graphGet(wire, url, job.account.accessToken, {
    fields: "id,description,created_time,custom_labels,permalink_url",
    limit: 25,
  });
  const list = isOk(answer) ? read(VideoList, answer) : undefined;
  if (!list) {
    return { state: "unreadable" };
  }
  const labelled = list.data.find((video) => video.custom_labels?.includes(labelOf(job)));
  if (labelled) {
    return { state: "found", id: labelled.id, url: permalinkOf(labelled.permalink_url) };
  }
  const alike = list.data.some(
    (video) => plain(video.description ?? "") === plain(job.caption) && Date.parse(video.created_time ?? "") >= since,
  );
  return { state: alike ? "alike" : "none" };
}
